/**
 * Requests per second on a real n8n, for this trigger and n8n's own, in one run on one server:
 * `npx tsx scripts/bench/n8n.bench.ts [--lazy] [--only succeeded]`. Only ratios count; absolute numbers depend on the machine.
 *
 * With `--against before.tgz`, only this trigger: alternates between the package of the current sources and another
 * package (`npm pack` in a checkout of the other commit), each on its own n8n instance.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { signTimestamped } from '../../simulator/delivery/signedDelivery';
import { signingCredential } from '../../test/support/n8n/credentials';
import { createWorld, type World } from '../../test/support/n8n/world';
import { baseNode, eventTrigger, webhook } from '../../test/support/nodes';
import type { NodePlan } from '../../test/support/workflow';
import { cpuMs, event, now, post, publish, runsToEnd, SECRET, sendFor, signed } from './load';
import { median } from './median';
import { inTurns, ratioTo } from './turns';

const CALLERS = 8;
/** Number of concurrent senders, for batched delivery. */
const MANY_CALLERS = 50;
const ROUND_MS = 3_000;
const WARM_UP_MS = 2_000;

interface Contender {
	readonly name: string;
	/** One request. Throws unless the response has the expected status. */
	readonly send: () => Promise<void>;
}

/** Contenders that are measured in turn. Ratios are relative to the first. */
interface Comparison {
	readonly callers: number;
	readonly contenders: readonly Contender[];
}

const PARTS = { stored, succeeded, batched } as const;

type Part = keyof typeof PARTS;

const { lazy, only, against, turns } = new Command('npx tsx scripts/bench/n8n.bench.ts')
	.option('--lazy', 'with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true')
	.addOption(new Option('--only <part>', 'one part').choices(Object.keys(PARTS)))
	.option('--against <package>', 'another package (.tgz) to alternate with this one')
	.option('--turns <count>', 'measurements of each', '5')
	.parse()
	.opts<{ lazy?: true; only?: Part; against?: string; turns: string }>();

async function main(): Promise<void> {
	const worlds: World[] = [];
	try {
		worlds.push(await startWorld());
		if (against !== undefined) worlds.push(await startWorld(against));
		console.log(`\n${lazy ? 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true' : 'default engine'}`);
		for (const comparison of await comparisonsOf(worlds)) await compare(worlds, comparison);
	} finally {
		for (const world of worlds) await world.dispose();
	}
}

/** An n8n instance with the package of the current sources, or with another one. */
async function startWorld(pack?: string): Promise<World> {
	const before = process.env['ASSET_SERVICE_PACKAGE'];
	if (pack !== undefined) process.env['ASSET_SERVICE_PACKAGE'] = pack;
	try {
		return await createWorld({
			log: console.error,
			env: {
				N8N_CUSTOM_EXTENSIONS: join(__dirname, 'floor'),
				...(lazy === true && { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }),
			},
		});
	} finally {
		if (before === undefined) delete process.env['ASSET_SERVICE_PACKAGE'];
		else process.env['ASSET_SERVICE_PACKAGE'] = before;
	}
}

async function comparisonsOf([world, other]: readonly World[]): Promise<Comparison[]> {
	if (world === undefined) return [];
	if (other !== undefined) return await packs(world, other);
	const parts = only === undefined ? Object.values(PARTS) : [PARTS[only]];
	const comparisons: Comparison[] = [];
	for (const part of parts) comparisons.push(await part(world));
	return comparisons;
}

/** Prints requests per second with this many concurrent callers, and the CPU per request until its execution ends. */
async function compare(
	worlds: readonly World[],
	{ callers, contenders }: Comparison,
): Promise<void> {
	for (const { send } of contenders) await sendFor(send, WARM_UP_MS, callers);
	for (const world of worlds) await runsToEnd(world);
	const rows = (
		await inTurns(contenders, Number(turns), async ({ send }) => {
			let sent = 0;
			const before = cpuOf(worlds);
			const perSecond = await sendFor(
				async () => {
					await send();
					sent += 1;
				},
				ROUND_MS,
				callers,
			);
			for (const world of worlds) await runsToEnd(world);
			return { perSecond, cpu: (cpuOf(worlds) - before) / sent };
		})
	).map(({ one, values }) => ({
		name: one.name,
		rates: values.map(({ perSecond }) => perSecond),
		costs: values.map(({ cpu }) => cpu),
	}));
	for (const { name, rates, costs } of rows) {
		const perSecond = `${median(rates).toFixed(1).padStart(8)}/s`;
		const cpu = `${median(costs).toFixed(1).padStart(8)} ms of CPU`;
		const ratio = ratioTo(rows[0]?.rates ?? [], rates).toFixed(2);
		const cpuRatio = ratioTo(rows[0]?.costs ?? [], costs).toFixed(2);
		console.log(
			`${name.padEnd(44)} ${ratio.padStart(6)} ${perSecond} ${cpuRatio.padStart(6)} ${cpu}`,
		);
	}
}

function cpuOf(worlds: readonly World[]): number {
	return worlds.reduce((sum, { server }) => sum + cpuMs(server.pid), 0);
}

/** An event counts once n8n has stored an execution. */
async function stored(world: World): Promise<Comparison> {
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
	const ours = await publishOurs(world);
	const floor = await publish(world, floorTrigger());
	const floorStep = await publish(world, floorTrigger({}, 'floorStepTrigger'));
	const contenders = [
		{
			name: "n8n's Webhook node, no verification",
			send: () => postUnsigned(webhookUrl),
		},
		{
			name: 'a trigger that does nothing, new event',
			send: () => postUnsigned(floor),
		},
		{
			name: 'the same with a first step, new event',
			send: () => postUnsigned(floorStep),
		},
		{
			name: 'a trigger that does nothing, rejection',
			send: () => post(floor, JSON.stringify({ refuse: true }), {}, 401),
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
			send: () => postSigned(ours),
		},
		{
			name: 'this trigger, duplicate',
			send: await duplicateOf(ours),
		},
		{
			name: 'this trigger, forged',
			send: async () => {
				const body = JSON.stringify(event());
				const headers = { 'x-webhook-signature': signTimestamped('other', now(), body) };
				await post(ours, body, headers, 401);
			},
		},
	];
	return { callers: CALLERS, contenders };
}

/** An event counts once an execution has succeeded: n8n responds when it ends. The same node follows each trigger. */
async function succeeded(world: World): Promise<Comparison> {
	const next = { 'No Operation': baseNode('noOp', 1) };
	const acknowledge = { acknowledge: 'succeeded' };
	const webhookUrl = await publish(world, webhook(LAST_NODE), next);
	const floor = await publish(world, floorTrigger(acknowledge), next);
	const floorStep = await publish(world, floorTrigger(acknowledge, 'floorStepTrigger'), next);
	const ours = await publishOurs(world, acknowledge, next);
	const contenders = [
		{ name: "n8n's Webhook node, last node", send: () => postUnsigned(webhookUrl) },
		{ name: 'a trigger that does nothing, last node', send: () => postUnsigned(floor) },
		{ name: 'the same with a first step, last node', send: () => postUnsigned(floorStep) },
		{ name: 'this trigger, succeeded, new event', send: () => postSigned(ours) },
		{ name: 'this trigger, succeeded, duplicate', send: await duplicateOf(ours) },
	];
	return { callers: CALLERS, contenders };
}

async function batched(world: World): Promise<Comparison> {
	const webhookUrl = await publish(world, webhook({ responseMode: 'onReceived' }));
	const ours = await publishOurs(world, { delivery: 'batched' });
	const many = `${MANY_CALLERS} senders`;
	const contenders = [
		{ name: `n8n's Webhook node, ${many}`, send: () => postUnsigned(webhookUrl) },
		{ name: `this trigger, batched, ${many}`, send: () => postSigned(ours) },
	];
	return { callers: MANY_CALLERS, contenders };
}

/** The first pair shows how far two n8n instances with the same node differ. */
async function packs(world: World, other: World): Promise<Comparison[]> {
	const hooks: string[] = [];
	const triggers: string[] = [];
	for (const of of [other, world]) {
		hooks.push(await publish(of, webhook({ responseMode: 'onReceived' })));
		triggers.push(await publishOurs(of));
	}
	const pair = async (
		name: string,
		urls: readonly string[],
		senderFor: (url: string) => Promise<() => Promise<void>> | (() => Promise<void>),
	): Promise<Comparison> => {
		const contenders: Contender[] = [];
		for (const [n, url] of urls.entries()) {
			const which = n === 0 ? 'other package' : 'this package';
			contenders.push({ name: `${name}, ${which}`, send: await senderFor(url) });
		}
		return { callers: CALLERS, contenders };
	};
	return [
		await pair("n8n's Webhook node", hooks, (url) => () => postUnsigned(url)),
		await pair('this trigger, new event', triggers, (url) => () => postSigned(url)),
		await pair('this trigger, duplicate', triggers, duplicateOf),
	];
}

const LAST_NODE = { responseMode: 'lastNode', responseData: 'noData' };

async function publishOurs(
	world: World,
	parameters: Readonly<Record<string, unknown>> = {},
	next: Readonly<Record<string, NodePlan>> = {},
): Promise<string> {
	const signing = await world.client.createCredential(signingCredential(SECRET));
	return await publish(world, eventTrigger(parameters, [signing]), next);
}

/** Both are in `floor`; `floorStepTrigger` has an `execute()`, as this trigger does. */
function floorTrigger(
	parameters: Readonly<Record<string, unknown>> = {},
	name: 'floorTrigger' | 'floorStepTrigger' = 'floorTrigger',
): NodePlan {
	return { type: `CUSTOM.${name}`, typeVersion: 2, webhookId: randomUUID(), parameters };
}

async function postUnsigned(url: string): Promise<void> {
	await post(url, JSON.stringify(event()), {});
}

async function postSigned(url: string): Promise<void> {
	const body = JSON.stringify(event());
	await post(url, body, signed(body));
}

/** Sends the same event repeatedly. */
async function duplicateOf(url: string): Promise<() => Promise<void>> {
	const seen = JSON.stringify(event('seen'));
	const send = () => post(url, seen, signed(seen));
	await send();
	return send;
}

function slackSigned(body: string): Record<string, string> {
	const timestamp = String(now());
	const digest = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
	return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}

void main();
