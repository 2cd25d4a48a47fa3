/**
 * Requests a second on a real n8n, this trigger beside n8n's own, all in one run and one server:
 * `npx tsx scripts/bench/n8n.bench.ts [--lazy]`. Ratios count; the machine decides the rest.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Command } from 'commander';
import { signTimestamped } from '../../lib/signature';
import { signingCredential } from '../../test/support/n8n/credentials';
import { createWorld, type World } from '../../test/support/n8n/world';
import { baseNode, eventTrigger, webhook } from '../../test/support/nodes';
import { event, now, post, publish, runsToEnd, SECRET, sendFor, signed } from './load';
import { median } from './median';

const CALLERS = 8;
/** Senders that come at once, for batched delivery. */
const MANY_CALLERS = 50;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const WARM_UP_MS = 2_000;

interface Contender {
	readonly name: string;
	readonly callers?: number;
	/** One request; throws unless it was answered with the status that it should be. */
	readonly send: () => Promise<void>;
}

const { lazy } = new Command('npx tsx scripts/bench/n8n.bench.ts')
	.option('--lazy', 'with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true')
	.parse()
	.opts<{ lazy?: true }>();

async function main(): Promise<void> {
	const world = await createWorld({
		log: console.error,
		env: {
			N8N_CUSTOM_EXTENSIONS: join(__dirname, 'floor'),
			...(lazy === true && { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }),
		},
	});
	try {
		const all = await contenders(world);
		const rates = await measure(world, all);
		console.log(`\n${lazy ? 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true' : 'default engine'}`);
		for (const { name, callers, perSecond } of rates) {
			// To n8n's own node, asked by as many.
			const base = rates.find((other) => other.callers === callers);
			const ratio = (perSecond / (base?.perSecond ?? NaN)).toFixed(2);
			console.log(`${name.padEnd(48)} ${ratio.padStart(6)}  ${perSecond.toFixed(1).padStart(8)}/s`);
		}
	} finally {
		await world.dispose();
	}
}

/** Requests a second by so many callers at once: the median of several rounds, in turns, since what else the machine does changes. */
async function measure(
	world: World,
	all: readonly Contender[],
): Promise<{ name: string; callers: number; perSecond: number }[]> {
	const rates = all.map(({ name, callers = CALLERS, send }) => ({
		...{ name, callers, send },
		each: [] as number[],
	}));
	for (const { send } of rates) await sendFor(send, WARM_UP_MS, CALLERS);
	for (let turn = 0; turn < ROUNDS; turn += 1) {
		for (const { send, callers, each } of rates) {
			await runsToEnd(world);
			each.push(await sendFor(send, ROUND_MS, callers));
		}
	}
	return rates.map(({ name, callers, each }) => ({ name, callers, perSecond: median(each) }));
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
	const batched = await publish(world, eventTrigger({ delivery: 'batched' }, [signing]));
	const floor = await publish(world, {
		type: 'CUSTOM.floorTrigger',
		typeVersion: 2,
		webhookId: randomUUID(),
	});
	const toWebhook = () => post(webhookUrl, JSON.stringify(event()), {});

	const postSigned = (to: string) => {
		const body = JSON.stringify(event());
		return post(to, body, signed(body));
	};
	const seen = JSON.stringify(event('seen'));
	await post(ours, seen, signed(seen));
	return [
		{
			name: "n8n's Webhook node, no verification",
			send: toWebhook,
		},
		{
			name: 'a trigger that does nothing, new event',
			send: () => post(floor, JSON.stringify(event()), {}),
		},
		{
			name: 'a trigger that does nothing, refusal',
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
			send: () => post(ours, seen, signed(seen)),
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
		{ name: `n8n's Webhook node, ${MANY_CALLERS} senders`, callers: MANY_CALLERS, send: toWebhook },
		{
			name: `this trigger, batched, ${MANY_CALLERS} senders`,
			callers: MANY_CALLERS,
			send: () => postSigned(batched),
		},
	];
}

function slackSigned(body: string): Record<string, string> {
	const timestamp = String(now());
	const digest = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
	return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}

void main();
