/** The station trigger on an n8n that is killed while it polls a network of both OCPP versions, and with a workflow that fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { asRecord } from '../../lib/shared/values';
import { type Incident, type Simulator, startSimulator } from '../../simulator';
import { startCounter } from '../support/counter';
import { reportFailed } from '../support/expectations';
import { startHttpService } from '../support/httpService';
import { endAfterEach } from '../support/lifetime';
import { apiCredential } from '../support/n8n/credentials';
import { ledgerFile, passTimeInSqlite } from '../support/n8n/ledgerClock';
import { waitingItemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { httpRequest, STATION_TRIGGER_TYPE } from '../support/nodes';
import { report } from '../support/report';
import { waitFor } from '../support/wait';
import { buildWorkflow, type NodePlan } from '../support/workflow';

const KILLS = 3;
/** Outages and sessions last for seconds at this rate. */
const NETWORK = { profile: 'network', assets: 40, eventsPerSecond: 20 } as const;
const LIST = '/webhooks/v1/webhook-events';
const HOURS = 60 * 60_000;
const AT_ONCE = { forMinutes: 0, resolveAfterMinutes: 0 };
const EVERY_STATUS = {
	statuses: [
		...['Preparing', 'Charging', 'Occupied', 'Finishing', 'Reserved', 'Unavailable'],
		...['Faulted', 'SuspendedEV', 'SuspendedEVSE'],
	],
};
const KINDS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
	stationOffline: AT_ONCE,
	connectorStatus: { ...AT_ONCE, ...EVERY_STATUS },
	connectorFault: AT_ONCE,
	sessionEnded: {},
};

const ended = endAfterEach();
const world = useWorld(() => ({ env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' } }));

/** The items that the workflow reports, in the calls of its executions. */
async function startItemCounter() {
	const items: Readonly<Record<string, unknown>>[] = [];
	const service = await startHttpService(({ body }) => {
		items.push(...(JSON.parse(body) as Record<string, unknown>[]));
		return { body: {} };
	});
	return { items, url: service.url, stop: () => service.stop() };
}

const toCounter = (url: string): NodePlan => ({
	...httpRequest(url, {
		...{ method: 'POST', sendBody: true, contentType: 'raw', rawContentType: 'text/plain' },
		body: '={{ JSON.stringify($input.all().map(({ json }) => json)) }}',
	}),
	executeOnce: true,
});

/** A workflow with a station trigger for each of the kinds, all connected to one node. */
async function publish(simulator: Simulator, kinds: typeof KINDS, next: NodePlan, more = {}) {
	const credential = await world.client.createCredential(apiCredential(simulator));
	const triggers = Object.entries(kinds).map(([triggerOn, parameters]) => {
		const plan: NodePlan = {
			type: STATION_TRIGGER_TYPE,
			typeVersion: 1,
			parameters: {
				...{
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					triggerOn,
					options: { catchUpHours: 1 },
				},
				...parameters,
				...more,
			},
			credentials: [credential],
		};
		return [triggerOn, plan] as const;
	});
	const { id } = await world.client.createWorkflow(
		buildWorkflow({
			nodes: { ...Object.fromEntries(triggers), Next: next },
			chains: triggers.map(([name]) => [name, 'Next']),
			// Their second outputs.
			errorsTo: Object.fromEntries(
				triggers.flatMap(([name]) => (name === 'sessionEnded' ? [] : [[name, 'Next'] as const])),
			),
		}),
	);
	await world.client.activate(id);
	return {
		id,
		/** Polls at once: n8n's own polls are a minute apart. */
		pollNow: async () => {
			await world.client.deactivate(id);
			await world.client.activate(id);
		},
		stop: async () => {
			await world.client.deactivate(id);
		},
	};
}

/** What n8n and the simulator both know of an incident: its part of the station and its time. */
const nameOf = (parts: readonly unknown[]) => parts.map(String).join(' ');

const whatOf = (kind: unknown, { status, errorCode }: Readonly<Record<string, unknown>>) =>
	kind === 'stationOffline' ? '' : kind === 'connectorFault' ? errorCode : status;

/** What an item says, without the energy: in sessions of seconds, most readings are above any power. */
function told(item: Readonly<Record<string, unknown>>): string {
	const { kind, state, connector, since, until, transactionId } = item;
	const { id } = asRecord(item['station']);
	if (kind === 'sessionEnded') {
		const { receivedAt, reason } = item;
		return nameOf([kind, id, connector, transactionId, receivedAt, reason]);
	}
	const what = whatOf(kind, item);
	return nameOf([kind, id, connector, what, state, since, state === 'resolved' ? until : '']);
}

/** The items that the simulator's record asks for, with the times of the events that show them. */
function itemsOf(incident: Incident): { readonly at: number; readonly item: string }[] {
	const { kind, assetId, connector, since, until } = incident;
	const at = (time: string | null) => (time === null ? Infinity : Date.parse(time));
	if (kind === 'session') {
		if (until === null) return [];
		const { transactionId, reason } = incident;
		const parts = ['sessionEnded', assetId, connector, transactionId, until, reason];
		return [{ at: at(until), item: nameOf(parts) }];
	}
	const parts = [kind, assetId, connector, whatOf(kind, { ...incident })];
	const opened = { at: at(since), item: nameOf([...parts, 'opened', since, '']) };
	const resolved = { at: at(until), item: nameOf([...parts, 'resolved', since, until]) };
	return until === null ? [opened] : [opened, resolved];
}

/** How often a poll has read the beginning of the list. */
const headsRead = ({ stats }: Simulator) =>
	stats.requests.filter(({ path, query }) => path === LIST && !('startingAfter' in query)).length;

it('reports every incident of the simulator’s own record once and invents none, although n8n is killed three times', async () => {
	const simulator = ended(await startSimulator(NETWORK));
	const counter = ended(await startItemCounter());
	// A list of one page: an hour of this network would take four triggers too long to read.
	simulator.faults.add({
		...{ method: 'GET', path: LIST, queryParameter: 'startingAfter' },
		body: { data: { items: [], hasMore: false } },
	});
	const workflow = await publish(simulator, KINDS, toCounter(counter.url));
	simulator.faults.clear();
	const publishedAt = Date.now();
	const isPolled = async () => {
		const before = simulator.stats.requests.length;
		await waitFor(() => simulator.stats.requests.length > before + KILLS, {
			...{ what: 'a poll', timeoutMs: 90_000, everyMs: 10 },
		});
	};
	for (let kill = 0; kill < KILLS; kill++) {
		await sleep(10_000);
		const polling = isPolled();
		await Promise.all([polling, workflow.pollNow().catch(() => undefined)]);
		await world.server.kill();
		await world.server.start();
	}
	const until = Date.now();
	const truth = async () => {
		const response = await fetch(`${simulator.baseUrl}/_simulator/incidents?hours=1`);
		return (await response.json()) as Incident[];
	};
	// A kill may interrupt an execution. Its items do not start again by default, and n8n shows it as crashed.
	const crashed = async () => {
		const executions = await world.client.listExecutions({
			...{ workflowId: workflow.id, status: 'crashed' },
		});
		const all = executions.map(async ({ id }) =>
			waitingItemsOf(await world.client.getExecution(id)),
		);
		return (await Promise.all(all)).flat().map(({ json }) => told(json));
	};
	const reported = () => counter.items.map(told);
	const wanted = async () =>
		(await truth())
			.filter(({ since }) => Date.parse(since) > publishedAt)
			.flatMap(itemsOf)
			.filter(({ at }) => at <= until)
			.map(({ item }) => item);
	const missing = async () => {
		const known = new Set([...reported(), ...(await crashed())]);
		return (await wanted()).filter((item) => !known.has(item));
	};
	const polls: string[] = [];
	const seconds = () => `${((Date.now() - until) / 1_000).toFixed(0)} s`;
	let heads = headsRead(simulator);
	// What happened last counts a minute later, in a poll of the minute after that: when it ends depends on the machine.
	await waitFor(
		async () => {
			const before = heads;
			heads = headsRead(simulator);
			if (heads > before) polls.push(`${heads - before} at ${seconds()}`);
			return (await missing()).length === 0;
		},
		{
			what: 'every incident to be reported',
			...{ timeoutMs: 300_000, everyMs: 2_000 },
			detail: () => `${counter.items.length} items; heads of the list read: ${polls.join(', ')}`,
		},
	)
		.then(() => {
			report(`all reported ${seconds()} after the last start`);
		})
		.catch(async (error: unknown) => {
			report(String(error));
			await reportFailed(world.client, workflow.id);
			const lines = world.server.logs().split('\n');
			for (const line of lines.filter((each) => /warn|error/i.test(each)).slice(-20)) report(line);
		});
	await workflow.stop();
	await sleep(2_000);

	const possible = new Set((await truth()).flatMap(itemsOf).map(({ item }) => item));
	const items = reported();
	const all = await wanted();
	const kinds = Object.keys(KINDS).map(
		(kind) => `${all.filter((item) => item.startsWith(kind)).length} ${kind}`,
	);
	report(
		`${KILLS} kills while the station trigger polls: ${kinds.join(', ')} items wanted, ${items.length} reported`,
	);
	expect(all.length).toBeGreaterThan(20);
	expect(await missing()).toEqual([]);
	expect(items.filter((item) => !possible.has(item))).toEqual([]);
	expect(items.filter((item, n) => items.indexOf(item) !== n)).toEqual([]);
});

it('reports an incident until an execution has succeeded, and not again, with "Start Again"', async () => {
	const simulator = ended(await startSimulator({ assets: 10 }));
	const work = ended(await startCounter({ fails: (_id, execution) => execution <= 2 }));
	const workflow = await publish(
		simulator,
		{ connectorFault: AT_ONCE },
		httpRequest(`=${work.url}/?event={{ $json.id }}`),
		{ acknowledge: 'succeeded' },
	);
	const data = {
		...{ asset: { id: 'asset_faulted' }, protocol: 'ocpp1.6', messageId: 'message_1' },
		...{ messageType: 'CALL', action: 'StatusNotification' },
		payload: { connectorId: 1, status: 'Faulted', errorCode: 'GroundFailure' },
	};
	await simulator.emit({ type: 'ocpp.message', data }, { deliver: false });
	const executions = () => [...work.begun.values()];
	const pollLater = async () => {
		passTimeInSqlite(ledgerFile(world.userFolder), 7 * HOURS, { expires: false });
		await workflow.pollNow();
	};
	for (let execution = 1; execution <= 3; execution++) {
		await pollLater();
		await waitFor(() => executions()[0] === execution, {
			...{ what: `execution ${execution}`, timeoutMs: 30_000 },
		});
		await sleep(1_000);
	}
	await pollLater();
	await pollLater();
	await sleep(2_000);
	await workflow.stop();
	expect(executions()).toEqual([3]);
	expect(work.calls.map(({ response }) => response?.isSuccess)).toEqual([false, false, true]);
});
