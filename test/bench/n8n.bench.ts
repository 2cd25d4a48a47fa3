/**
 * Requests a second on a real n8n, this trigger beside n8n's own, all in one run and one server:
 * `npx tsx test/bench/n8n.bench.ts [--lazy]`. Ratios count; the machine decides the rest.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { request } from 'undici';
import { signTimestamped } from '../../lib/receiver/signature';
import { signingCredential } from '../support/n8n/credentials';
import { createWorld, type World } from '../support/n8n/world';
import { baseNode, eventTrigger, webhook } from '../support/nodes';
import { waitFor } from '../support/wait';
import { buildWorkflow, type NodePlan } from '../support/workflow';
import { median } from './median';

const CALLERS = 8;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const WARM_UP_MS = 2_000;
const SECRET = 'whsec_bench_0123456789abcdef';

interface Contender {
	readonly name: string;
	/** One request; throws unless it was answered with the status that it should be. */
	readonly send: () => Promise<void>;
}

const { lazy } = new Command('npx tsx test/bench/n8n.bench.ts')
	.option('--lazy', 'with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true')
	.parse()
	.opts<{ lazy?: true }>();

async function main(): Promise<void> {
	const world = await createWorld({
		log: console.error,
		env: lazy === true ? { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } : {},
	});
	try {
		const rates = await measure(world, await contenders(world));
		const [base] = rates;
		console.log(`\n${lazy ? 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true' : 'default engine'}`);
		for (const { name, perSecond } of rates) {
			const ratio = (perSecond / (base?.perSecond ?? NaN)).toFixed(2);
			console.log(`${name.padEnd(44)} ${ratio.padStart(6)}  ${perSecond.toFixed(1).padStart(8)}/s`);
		}
	} finally {
		await world.dispose();
	}
}

/** Requests a second by so many callers at once: the median of several rounds, in turns, since what else the machine does changes. */
async function measure(
	world: World,
	all: readonly Contender[],
): Promise<{ name: string; perSecond: number }[]> {
	const rates = new Map(all.map(({ name }) => [name, [] as number[]]));
	for (const { send } of all) await round(send, WARM_UP_MS);
	for (let turn = 0; turn < ROUNDS; turn += 1) {
		for (const { name, send } of all) {
			await runsToEnd(world);
			rates.get(name)?.push(await round(send, ROUND_MS));
		}
	}
	return [...rates].map(([name, perSecond]) => ({ name, perSecond: median(perSecond) }));
}

/** n8n answers before a run ends: what one round started must not burden the next. */
async function runsToEnd({ client }: World): Promise<void> {
	await waitFor(
		async () => {
			const newest = await client.listExecutions({ limit: 250 });
			return newest.some(({ status }) => status === 'new' || status === 'running')
				? undefined
				: true;
		},
		{ what: 'the runs to end', everyMs: 100 },
	);
}

/** Each caller sends its next request when the one before was answered, so the load is bounded by their number. */
async function round(send: () => Promise<void>, time: number): Promise<number> {
	const startedAt = performance.now();
	let answered = 0;
	const caller = async () => {
		while (performance.now() - startedAt < time) {
			await send();
			answered += 1;
		}
	};
	await Promise.all(Array.from({ length: CALLERS }, caller));
	return (answered * 1000) / (performance.now() - startedAt);
}

async function contenders(world: World): Promise<Contender[]> {
	const { client } = world;
	const webhookUrl = await publish(world, webhook({ responseMode: 'onReceived' }));
	const slackCredential = await client.createCredential({
		name: 'Slack',
		type: 'slackApi',
		data: { accessToken: 'xoxb-none', signatureSecret: SECRET },
	});
	const slack = await publish(world, {
		...baseNode('slackTrigger', 1, { trigger: ['any_event'], watchWorkspace: true, options: {} }),
		webhookId: randomUUID(),
		credentials: [slackCredential],
	});
	const signing = await client.createCredential(signingCredential(SECRET));
	const ours = await publish(world, eventTrigger({}, [signing]));

	const seen = JSON.stringify(event('seen'));
	await post(ours, seen, signed(seen));
	return [
		{
			name: "n8n's Webhook node, no verification",
			send: async () => {
				await post(webhookUrl, JSON.stringify(event()), {});
			},
		},
		{
			name: "n8n's Slack Trigger, verifies",
			send: async () => {
				const body = JSON.stringify({
					type: 'event_callback',
					event: { type: 'message', channel: 'C1', text: 'x'.repeat(300) },
				});
				await post(slack, body, slackSigned(body));
			},
		},
		{
			name: 'this trigger, new event',
			send: async () => {
				const body = JSON.stringify(event());
				await post(ours, body, signed(body));
			},
		},
		{
			name: 'this trigger, duplicate',
			send: async () => {
				await post(ours, seen, signed(seen));
			},
		},
		{
			name: 'this trigger, forged',
			send: async () => {
				const body = JSON.stringify(event());
				await post(
					ours,
					body,
					{ 'x-webhook-signature': signTimestamped('other', now(), body) },
					401,
				);
			},
		},
	];
}

async function publish({ client }: World, trigger: NodePlan): Promise<string> {
	const content = buildWorkflow({ name: trigger.type, nodes: { Trigger: trigger } });
	const workflow = await client.createWorkflow(content);
	const url = await client.webhookUrl(workflow, 'Trigger');
	await client.activate(workflow.id, { webhookUrls: [url] });
	return url;
}

async function post(
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

const now = (): number => Math.floor(Date.now() / 1000);

function event(id: string = randomUUID()): Record<string, unknown> {
	const data = { asset: { id: 'asset-1' }, payload: 'x'.repeat(300) };
	return { id, type: 'ocpp.message', createdAt: new Date().toISOString(), data };
}

function signed(body: string): Record<string, string> {
	return { 'x-webhook-signature': signTimestamped(SECRET, now(), body) };
}

function slackSigned(body: string): Record<string, string> {
	const timestamp = String(now());
	const digest = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
	return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
