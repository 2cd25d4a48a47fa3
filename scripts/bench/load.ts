/** The load of the benchmarks on a real n8n. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { signTimestamped } from '../../simulator/delivery/signedDelivery';
import type { World } from '../../test/support/n8n/world';
import { waitFor } from '../../test/support/wait';
import { buildWorkflow, type NodePlan } from '../../test/support/workflow';

export const SECRET = 'whsec_bench_0123456789abcdef';

/** Each caller sends its next request after the response to the previous one, so their number limits the load. */
export async function sendFor(
	send: () => Promise<void>,
	time: number,
	callers: number,
): Promise<number> {
	const startedAt = performance.now();
	let answered = 0;
	const caller = async () => {
		while (performance.now() - startedAt < time) {
			await send();
			answered += 1;
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	return (answered * 1000) / (performance.now() - startedAt);
}

/** n8n responds before an execution ends: the executions of one round must not slow down the next. */
export async function runsToEnd({ client }: World): Promise<void> {
	await waitFor(
		async () => {
			const newest = await client.listExecutions({ limit: 250 });
			return newest.some(({ status }) => status === 'new' || status === 'running')
				? undefined
				: true;
		},
		{ what: 'the executions to end', everyMs: 100, timeoutMs: 300_000 },
	);
}

/** Milliseconds of CPU used by the process so far. Linux counts hundredths of a second, see proc(5). */
export function cpuMs(pid: number): number {
	const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
	const [userTicks = 0, systemTicks = 0] = fields.split(' ').slice(11, 13).map(Number);
	return (userTicks + systemTicks) * 10;
}

/** Publishes a workflow of this trigger and the given nodes, and returns its URL. */
export async function publish(
	{ client }: World,
	trigger: NodePlan,
	next: Readonly<Record<string, NodePlan>> = {},
	settings: object = {},
): Promise<string> {
	const chains = [['Trigger', ...Object.keys(next)]];
	const content = buildWorkflow({
		name: trigger.type,
		nodes: { Trigger: trigger, ...next },
		chains,
	});
	const workflow = await client.createWorkflow({
		...content,
		settings: { ...content.settings, ...settings },
	});
	const url = await client.webhookUrl(workflow, 'Trigger');
	await client.activate(workflow.id, { webhookUrls: [url] });
	return url;
}

/** One request. Throws unless the response has the expected status. */
export async function post(
	url: string,
	body: string,
	headers: Record<string, string>,
	expected = 200,
): Promise<void> {
	const { statusCode, body: answer } = await request(url, {
		method: 'POST',
		body,
		headers: { 'content-type': 'application/json', ...headers },
	});
	await answer.dump();
	if (statusCode !== expected) throw new Error(`answered ${statusCode}`);
}

export const now = (): number => Math.floor(Date.now() / 1000);

export function event(id: string = randomUUID()): Record<string, unknown> {
	const data = { asset: { id: 'asset-1' }, payload: 'x'.repeat(300) };
	return { id, type: 'ocpp.message', createdAt: new Date().toISOString(), data };
}

export function signed(body: string): Record<string, string> {
	return { 'x-webhook-signature': signTimestamped(SECRET, now(), body) };
}
