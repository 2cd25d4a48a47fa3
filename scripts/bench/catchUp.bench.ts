/** CPU of n8n for a thousand missed events that the poll trigger fetches, with one or a hundred events per execution: `npx tsx scripts/bench/catchUp.bench.ts`. */
import { startSimulator, type Simulator } from '../../simulator';
import { startCounter } from '../../test/support/counter';
import { apiCredential } from '../../test/support/n8n/credentials';
import { createWorld, type World } from '../../test/support/n8n/world';
import { countAll, POLL_TRIGGER_TYPE } from '../../test/support/nodes';
import { waitFor } from '../../test/support/wait';
import { buildWorkflow } from '../../test/support/workflow';
import { cpuMs, runsToEnd } from './load';
import { median } from './median';

const EVENTS = 1_000;
const ROUNDS = 2;

async function main(): Promise<void> {
	const service = await startSimulator();
	const nothing = await startSimulator();
	for (let n = 0; n < EVENTS; n++) await service.emit({}, { deliver: false });
	const ids = service.events.map(({ id }) => id);
	const world = await createWorld({ log: console.error });
	try {
		const spent: Record<string, number[]> = { none: [], singly: [], batched: [] };
		for (let round = 0; round < ROUNDS; round++) {
			spent['none']?.push(await catchUp(world, nothing, [], {}));
			spent['singly']?.push(await catchUp(world, service, ids, {}));
			spent['batched']?.push(await catchUp(world, service, ids, { delivery: 'batched' }));
		}
		const [none = 0, singly = 0, batched = 0] = Object.values(spent).map(median);
		const each = (ms: number): string => `${((ms - none) / EVENTS).toFixed(2)} ms per event`;
		console.log(`\n${EVENTS} missed events, CPU of n8n's process, median of ${ROUNDS} rounds`);
		console.log(`one execution each: ${each(singly)}; executions of 100: ${each(batched)}`);
		console.log(`share: ${((batched - none) / (singly - none)).toFixed(2)}`);
	} finally {
		await world.dispose();
		await service.stop();
		await nothing.stop();
	}
}

/** CPU from publishing to the end of the last execution. Throws unless every event was executed once, in order. */
async function catchUp(
	world: World,
	service: Simulator,
	ids: readonly string[],
	parameters: object,
): Promise<number> {
	const counter = await startCounter();
	try {
		const credential = await world.client.createCredential(apiCredential(service));
		const trigger = {
			type: POLL_TRIGGER_TYPE,
			typeVersion: 1,
			parameters: {
				pollTimes: { item: [{ mode: 'everyHour' }] },
				startFrom: 'retained',
				limit: 100,
				...parameters,
			},
			credentials: [credential],
		};
		const workflow = await world.client.createWorkflow(
			buildWorkflow({
				nodes: { Trigger: trigger, Count: countAll(counter.url) },
				chains: [['Trigger', 'Count']],
			}),
		);
		const before = cpuMs(world.server.pid);
		await world.client.activate(workflow.id);
		await waitFor(() => counter.begun.size >= ids.length, {
			what: 'every event to run',
			timeoutMs: 600_000,
		});
		await runsToEnd(world);
		const spent = cpuMs(world.server.pid) - before;
		const calls = counter.calls.flatMap(({ events }) => events).map((id) => ids.indexOf(id));
		const outOfOrder = calls.filter((place, n) => place < (calls[n - 1] ?? 0)).length;
		if (new Set(calls).size !== ids.length || calls.length > ids.length) {
			throw new Error('The events did not run once each');
		}
		if (outOfOrder > 0) console.log(`${outOfOrder} events ran before the one that was older`);
		await world.client.deactivate(workflow.id);
		return spent;
	} finally {
		await counter.stop();
	}
}

void main();
