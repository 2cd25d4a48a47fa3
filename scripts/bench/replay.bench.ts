/**
 * Sends a month of a network's events, most of them unwanted, to a workflow with conditions. Counts executions and stored
 * data, and compares the speed with n8n's Webhook node: `npx tsx scripts/bench/replay.bench.ts [--events 20000]`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Command } from 'commander';
import { startCounter } from '../../test/support/counter';
import { signingCredential } from '../../test/support/n8n/credentials';
import { ledgerFile } from '../../test/support/n8n/ledgerClock';
import { createWorld, type World } from '../../test/support/n8n/world';
import { eventTrigger, httpRequest, webhook } from '../../test/support/nodes';
import { event, post, publish, runsToEnd, SECRET, sendFor, signed } from './load';
import { median } from './median';

const CALLERS = 8;
/** Ends of sessions in a thousand events, as an operator counted. */
const WANTED_OF_THOUSAND = 14;
const TURNS = 10;
const WEBHOOK_MS = 4_000;

const { events } = new Command('npx tsx scripts/bench/replay.bench.ts')
	.option('--events <count>', 'number of events', '20000')
	.parse()
	.opts<{ events: string }>();

async function main(): Promise<void> {
	const counter = await startCounter();
	const world = await createWorld({
		log: console.error,
		env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	});
	try {
		const signing = await world.client.createCredential(signingCredential(SECRET));
		const condition = [{ field: 'data.action', operator: 'equals', value: 'StopTransaction' }];
		const ours = await publish(world, eventTrigger({ conditions: { condition } }, [signing]), {
			Count: httpRequest(`=${counter.url}/?event={{ $json.id }}`),
		});
		const toWebhook = await publish(world, webhook({ responseMode: 'onReceived' }));
		const before = rowsIn(world);
		const { ratio, perSecond } = await replay(world, ours, toWebhook);
		await runsToEnd(world);
		const after = rowsIn(world);
		const runs = counter.calls.length;
		console.log(`\n${events} events, ${WANTED_OF_THOUSAND / 10} % of them wanted`);
		console.log(
			`executions of the workflow: ${runs}, events executed twice: ${[...counter.begun.values()].filter((times) => times > 1).length}`,
		);
		console.log(`entries in the ledger: ${after.entries - before.entries}`);
		console.log(`executions saved by n8n: ${after.executions(ours)}`);
		console.log(
			`events per second: ${perSecond.toFixed(1)}, ${ratio.toFixed(2)} times n8n's Webhook node`,
		);
	} finally {
		await world.dispose();
		await counter.stop();
	}
}

/** Alternates with n8n's Webhook node; the median of the turns. */
async function replay(
	world: World,
	ours: string,
	toWebhook: string,
): Promise<{ ratio: number; perSecond: number }> {
	const total = Number(events);
	const ratios: number[] = [];
	const rates: number[] = [];
	let sent = 0;
	const sendNext = async () => {
		const body = JSON.stringify(eventOf(sent++));
		await post(ours, body, signed(body));
	};
	for (let turn = 1; turn <= TURNS; turn += 1) {
		await runsToEnd(world);
		const base = await sendFor(
			async () => {
				await post(toWebhook, JSON.stringify(event()), {});
			},
			WEBHOOK_MS,
			CALLERS,
		);
		await runsToEnd(world);
		const until = Math.floor((total * turn) / TURNS);
		const count = until - sent;
		const startedAt = performance.now();
		const caller = async () => {
			while (sent < until) await sendNext();
		};
		await Promise.all(Array.from({ length: CALLERS }, caller));
		const rate = (count * 1_000) / (performance.now() - startedAt);
		rates.push(rate);
		ratios.push(rate / base);
	}
	return { ratio: median(ratios), perSecond: median(rates) };
}

/** Heartbeats and meter values, with an occasional end of a session. */
function eventOf(n: number): Record<string, unknown> {
	const isWanted =
		Math.floor((n * WANTED_OF_THOUSAND) / 1_000) !==
		Math.floor(((n + 1) * WANTED_OF_THOUSAND) / 1_000);
	const action = isWanted ? 'StopTransaction' : n % 3 === 0 ? 'MeterValues' : 'Heartbeat';
	const { data, ...rest } = event();
	return { ...rest, data: { ...(data as object), messageType: 'CALL', action } };
}

function rowsIn({ userFolder }: World): { entries: number; executions: (url: string) => number } {
	const count = (file: string, sql: string): number => {
		// The first wanted event creates the ledger.
		if (!existsSync(file)) return 0;
		const database = new DatabaseSync(file, { readOnly: true });
		const rows = Number(database.prepare(sql).get()?.['rows']);
		database.close();
		return rows;
	};
	const n8nFile = join(userFolder, '.n8n', 'database.sqlite');
	return {
		entries: count(ledgerFile(userFolder), 'SELECT count(*) AS rows FROM entry'),
		executions: (url) =>
			count(
				n8nFile,
				`SELECT count(*) AS rows FROM execution_entity WHERE workflowId =
				(SELECT workflowId FROM webhook_entity WHERE webhookPath = '${new URL(url).pathname.replace('/webhook/', '')}')`,
			),
	};
}

void main();
