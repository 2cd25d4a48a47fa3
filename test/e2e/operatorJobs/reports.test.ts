/** The examples that keep a network complete and up to date, on a real n8n: their reports on a story, however its events arrive. */
import { ledgerKey } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { SqliteStore } from '../../../lib/ledger/sqlite/store';
import { type EventInput, startSimulator } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { endAfterEach, useForEach } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { example, runExample } from '../../support/n8n/examples';
import { ledgerFile } from '../../support/n8n/ledgerClock';
import { registerByHand } from '../../support/n8n/registerByHand';
import { itemsOf } from '../../support/n8n/responses';
import type { N8nClient } from '../../support/n8n/rest';
import { useWorld } from '../../support/n8n/useWorld';
import { waitForWebhook } from '../../support/n8n/workflows';
import { TRIGGER } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { publishWork, startWork } from './work';

/** The simulator lists the same ones at every start. */
const NETWORK = generateAssets(14);
const MINUTES = 60_000;
const HOUR_MS = 3_600_000;
const POLL = 'Asset Service Poll Trigger';
/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:9/';

const world = useWorld();
const stopped = endAfterEach();

describe.each(['documented', 'field'] as const)('with events as %s', (profile) => {
	/** Offset of the service's clock. */
	let offsetMs = 0;
	const now = () => Date.now() + offsetMs;
	// The specification does not define the order of lists.
	const listOrder = profile === 'field' ? 'oldestFirst' : 'newestFirst';
	const simulator = useForEach(() =>
		startSimulator({ profile, assets: NETWORK.length, now, listOrder }),
	);

	/** Sends a story, and returns the IDs of all events sent with it, each once, oldest first. */
	const send = async (events: readonly EventInput[]): Promise<string[]> => {
		const before = new Set(simulator.events.map(({ id }) => id));
		await simulator.emitAll(events);
		return simulator.events.map(({ id }) => id).filter((id) => !before.has(id));
	};

	/** Runs the nightly job for a workflow, as a user sets it up. */
	const reportOf = (client: N8nClient, workflowId: string) => async (endpointId: string) => {
		const replacements = { replace_me: workflowId, we_replace_me: endpointId };
		const file = 'nightly-completeness.json';
		const execution = await runExample(client, simulator, file, replacements);
		const deliveries = simulator.deliveries(endpointId);
		const count = (wanted: string) => deliveries.filter(({ status }) => status === wanted).length;
		const summary = itemsOf(execution, 'Summary').map(({ json }) => json);
		const mailed = itemsOf(execution, 'Send email').map(({ json }) => json);
		return { summary, mailed, delivered: count('success'), failed: count('failed') };
	};

	/** As after a crash between the storing of an execution and its start. */
	const storeAll = async (workflowId: string, ids: readonly string[]) => {
		const store = new SqliteStore({ path: ledgerFile(world.userFolder) });
		const ledger = new EventLedger({ store });
		for (const id of ids) {
			const answer = await ledger.claim(ledgerKey(workflowId, id));
			if (answer.state !== 'claimed') throw new Error(`${id} is ${answer.state}`);
			await ledger.commit([answer.claim], 24 * HOUR_MS);
		}
		await ledger.close();
	};

	it('nightly-completeness.json sums up missing events and delivery results, and mails problems', async () => {
		const { client } = world;
		const work = stopped(await startWork());
		const { workflowId, endpoint } = await publishWork(world, simulator, {
			...{ work, acknowledge: 'succeeded' },
		});
		const report = reportOf(client, workflowId);

		const good = await report(endpoint.id);
		const fine = { missing: 0, stored: 0, failedEvents: 0, failed: 0, givingUp: false };
		expect(good.summary).toMatchObject([
			{ ...fine, states: {}, delivered: 0, share: null, events: [] },
		]);
		expect(good.mailed).toEqual([]);

		const arrived = await send([{}, {}, {}]);
		await client.waitForExecutions({ workflowId }, arrived.length);
		const { delivered, ...still } = await report(endpoint.id);
		expect(delivered).toBeGreaterThanOrEqual(arrived.length);
		expect(still.summary).toMatchObject([
			{ ...fine, states: { done: arrived.length }, delivered, share: 1, events: [] },
		]);
		expect(still.mailed).toEqual([]);

		const before = simulator.events.length;
		const { events: interrupted } = await simulator.emitAll([{ data: { work: 'fails' } }]);
		// What the stations of the field send at the same time.
		const others = simulator.events.length - before - interrupted.length;
		simulator.deleteEndpoint(endpoint.id);
		const dead = simulator.createEndpoint({ url: NOBODY });
		// So long ago that the service has at most one try left; not from last night.
		offsetMs = -50 * HOUR_MS;
		await send([{}]);
		offsetMs = -2 * HOUR_MS;
		const unbegun = await send([{}, {}]);
		offsetMs = 0;
		const missed = await send([{}, {}]);
		const justStored = await send([{}]);
		await storeAll(workflowId, [...unbegun, ...justStored]);
		const { failed, ...bad } = await report(dead.id);
		const wrong = { delivered: 0, failed, share: 0, givingUp: true };
		const counts = {
			...{ missing: missed.length, stored: unbegun.length },
			failedEvents: interrupted.length,
		};
		expect(bad.summary).toMatchObject([{ ...counts, ...wrong }]);
		const listed = bad.summary.flatMap(({ events }) => events as ListedEvent[]);
		const nameOf = ({ assetId = null }: ListedEvent) => NAMES.get(assetId ?? '') ?? assetId;
		expect(listed.map(({ asset }) => asset)).toEqual(listed.map(nameOf));
		expect(bad.summary[0]?.['states']).toMatchObject({
			...{ missing: missed.length, stored: unbegun.length + justStored.length },
			...{ failed: interrupted.length, done: arrived.length + others },
		});
		expect(bad.mailed).toEqual(bad.summary);
		const idsOf = (wanted: string) =>
			listed.filter(({ state }) => state === wanted).map(({ id }) => id);
		expect(listed).toHaveLength(missed.length + unbegun.length + interrupted.length);
		expect(idsOf('stored').sort()).toEqual(unbegun.sort());
		expect(idsOf('missing').sort()).toEqual(missed.sort());
		expect(idsOf('failed')).toEqual(interrupted.map(({ id }) => id));
		await client.deactivate(workflowId);
	});

	it('nightly-completeness.json ignores events from before publishing, and mails why events could not be checked', async () => {
		const { client } = world;
		const work = stopped(await startWork());
		await send([{}, {}]);
		const { workflowId, endpoint } = await publishWork(world, simulator, {
			...{ work, acknowledge: 'stored' },
		});
		const firstNight = await reportOf(client, workflowId)(endpoint.id);
		expect(firstNight.summary).toMatchObject([{ missing: 0, eventsError: '', events: [] }]);
		expect(firstNight.mailed).toEqual([]);

		const unset = await reportOf(client, 'replace_me')(endpoint.id);
		const eventsError =
			'The workflow "replace_me" does not give this workflow access to its events';
		expect(unset.mailed).toMatchObject([{ eventsError, failed: 0 }]);

		const unknown = simulator.createEndpoint({ url: NOBODY });
		simulator.deleteEndpoint(endpoint.id);
		simulator.deleteEndpoint(unknown.id);
		// One by one: of several, the first is dated before the others, and perhaps before the publication.
		const lost = [...(await send([{}])), ...(await send([{}]))];
		const lostNight = await reportOf(client, workflowId)(unknown.id);
		expect(lostNight.mailed).toMatchObject([
			{
				...{ eventsError: '', missing: lost.length, states: { missing: lost.length } },
				deliveriesError: expect.stringMatching(/endpoint/) as string,
			},
		]);
		await client.deactivate(workflowId);
	});

	it('catch-up-after-outage.json runs in batches for events sent while n8n was down, each event once', async () => {
		const { client, server } = world;
		const file = example('catch-up-after-outage.json');
		const { id: workflowId, url, endpoint } = await registerByHand(client, simulator, file);
		const credential = await client.createCredential(apiCredential(simulator));
		await client.useCredential(workflowId, POLL, credential);
		// The newest event that is listed when publishing: later ones start the workflow.
		offsetMs = -10 * MINUTES;
		await send([{}]);
		offsetMs = 0;
		await client.activate(workflowId, { webhookUrls: [url] });
		const runOf = async ({ id }: { id: string }) => {
			const execution = await client.getExecution(id);
			expect(execution.status).toBe('success');
			const items = [...itemsOf(execution, TRIGGER), ...itemsOf(execution, POLL)];
			const [summary, ...others] = itemsOf(execution, 'Summary').map(({ json }) => json);
			expect(others).toEqual([]);
			return { events: items.map(({ json }) => json), summary };
		};
		const idsIn = (runs: readonly { events: readonly Record<string, unknown>[] }[]) =>
			runs.flatMap(({ events }) => events.map(({ id }) => id));
		/** All executions, oldest first, once they contain these events; one poll may have started several. */
		const runsWith = async (events: readonly string[]) =>
			await waitFor(
				async () => {
					const ended = await client.waitForExecutions({ workflowId }, 0);
					const runs = await Promise.all(ended.toSorted(byId).map(runOf));
					const had = new Set(idsIn(runs));
					return events.every((id) => had.has(id)) ? runs : undefined;
				},
				{ what: `${events.length} events to run`, timeoutMs: 3 * MINUTES, everyMs: 500 },
			);

		const arrived = await send([{}, { type: 'asset.connectivity' }, {}]);
		const before = await runsWith(arrived);
		expect(idsIn(before).sort()).toEqual(arrived.sort());

		await server.stop();
		const missed = await send(Array.from({ length: 205 }, () => ({})));
		await server.start();
		const after = (await runsWith(missed)).slice(before.length);
		expect(idsIn(after)).toEqual(missed);
		const batches = Math.ceil(missed.length / 100);
		expect(after.map(({ events }) => events.length)).toEqual([
			...Array<number>(batches - 1).fill(100),
			missed.length - 100 * (batches - 1),
		]);
		for (const { events, summary } of after) {
			const times = events.map(({ createdAt }) => createdAt);
			const ids = events.map(({ data }) => (data as { asset: { id: string } }).asset.id);
			const assets = [...new Set(ids)].map((assetId) => ({
				assetId,
				events: ids.filter((id) => id === assetId).length,
				first: times[ids.indexOf(assetId)],
				last: times[ids.lastIndexOf(assetId)],
			}));
			const [from, to] = [times[0], times.at(-1)];
			expect(summary).toEqual({ events: events.length, from, to, assets });
		}

		// The service delivers unacknowledged events again.
		await waitForWebhook(url);
		for (const id of missed.slice(-3)) {
			const { responses } = await simulator.emit({ id });
			expect(responses).toMatchObject([{ status: 200, body: '{"status":"duplicate"}' }]);
		}
		expect(await runsWith([])).toHaveLength(before.length + batches);
		simulator.deleteEndpoint(endpoint.id);
		await client.deactivate(workflowId);
	});
});

interface ListedEvent {
	readonly id: string;
	readonly state: string;
	/** Missing for events that the test creates without one. */
	readonly assetId?: string | null;
	/** Its name, or its ID if it has none. */
	readonly asset?: string | null;
}

const NAMES = new Map(NETWORK.map(({ id, chargingStation: { name } }) => [id, name]));

function byId(one: { id: string }, other: { id: string }): number {
	return Number(one.id) - Number(other.id);
}
