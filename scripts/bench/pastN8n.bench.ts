/**
 * Uptime per connector on a real n8n: Get Uptime, and n8n's HTTP Request node with a Code node that computes the same. CPU and
 * memory of n8n with its task runner, and the longest time in which it does not respond. `npx tsx scripts/bench/pastN8n.bench.ts`
 */
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { request } from 'undici';
import { z } from 'zod/v4';
import { type Simulator, startSimulator } from '../../simulator';
import { apiCredential } from '../../test/support/n8n/credentials';
import { createWorld } from '../../test/support/n8n/world';
import { ACTION_TYPE, baseNode, httpRequest, webhook } from '../../test/support/nodes';
import type { CredentialName, NodePlan } from '../../test/support/workflow';
import { cpuMs, publish } from './load';

const HOUR = 3_600_000;
const SCENES = [
	{ name: '30 days of 100 stations', assets: 100, eventsPerSecond: 0.09, hours: 29 * 24, back: 23 },
	{ name: '6 hours of 10,000 stations', assets: 10_000, eventsPerSecond: 9, hours: 5, back: 1 },
];

const Rows = z.array(
	z.looseObject({
		id: z.string().optional(),
		station: z.looseObject({ id: z.string() }).optional(),
		connector: z.string().nullable(),
		uptimePercent: z.number().nullable(),
	}),
);
type Row = z.infer<typeof Rows>[number];

async function main(): Promise<void> {
	for (const scene of SCENES) {
		const service = await startSimulator({ profile: 'network', ...scene });
		const to = Date.now();
		const from = to - scene.hours * HOUR;
		const readFrom = new Date(from - scene.back * HOUR).toISOString();
		const uptime: NodePlan = {
			...{ type: ACTION_TYPE, typeVersion: 1 },
			parameters: {
				...{ resource: 'station', operation: 'getUptime', lookBackHours: scene.back },
				createdAfter: new Date(from).toISOString(),
			},
		};
		const pages = httpRequest(`${service.baseUrl}/webhooks/v1/webhook-events`, {
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'assetServiceApi',
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'limit', value: '100' }] },
			options: { pagination: { pagination: paginationTo(readFrom) } },
		});
		const code = baseNode('code', 2, { jsCode: codeFor(from, to) });
		try {
			const found = {
				'Get Uptime': await measured(service, (credentials) => ({
					Uptime: { ...uptime, credentials },
				})),
				'HTTP Request and Code': await measured(service, (credentials) => ({
					Pages: { ...pages, credentials },
					Code: code,
				})),
			};
			console.log(`\n${scene.name}`);
			console.table(
				Object.fromEntries(Object.entries(found).map(([name, { row }]) => [name, row])),
			);
			printAgreement(found['Get Uptime'].items, found['HTTP Request and Code'].items);
		} finally {
			await service.stop();
		}
	}
}

/** How many rows of the workflow with code have the uptime of Get Uptime, to a hundredth of a percent. */
function printAgreement(ours: readonly Row[], theirs: readonly Row[]): void {
	const nameOf = ({ id, station, connector }: Row) => `${id ?? station?.id} ${connector}`;
	const known = new Map(ours.map((row) => [nameOf(row), row.uptimePercent ?? NaN]));
	const same = theirs.filter(
		(row) => Math.abs((row.uptimePercent ?? NaN) - (known.get(nameOf(row)) ?? NaN)) < 0.01,
	);
	console.log(`${same.length} of ${theirs.length} rows of the second have the uptime of the first`);
}

const paginationTo = (time: string | undefined) => ({
	paginationMode: 'updateAParameterInEachRequest',
	parameters: {
		parameters: [
			{ type: 'qs', name: 'startingAfter', value: '={{ $response.body.data.items.at(-1)?.id }}' },
		],
	},
	paginationCompleteWhen: 'other',
	completeExpression: `={{ !$response.body.data.hasMore || $response.body.data.items.at(-1).createdAt < '${time}' }}`,
	limitPagesFetched: false,
});

/** What a user would write: without names, older sockets, problems of components, EVSEs, exclusions, and late or repeated events. */
const codeFor = (from: number, to: number): string => `
const [from, to] = [${from}, ${to}];
const events = $input.all().flatMap(({ json }) => json.data.items);
events.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
const stations = new Map();
for (const { eventType, createdAt, payload } of events) {
	const at = Date.parse(createdAt);
	const id = payload.asset.id;
	if (!stations.has(id)) stations.set(id, { offline: [], connectors: new Map() });
	const { offline, connectors } = stations.get(id);
	const last = offline.at(-1);
	const isLost = eventType === 'asset.connectivity' && payload.status === 'DISCONNECTED';
	if (isLost && last?.to !== Infinity) offline.push({ from: at, to: Infinity });
	if (!isLost && last?.to === Infinity) last.to = at;
	const report = (name, status) => {
		if (!connectors.has(name)) connectors.set(name, { first: at, down: [] });
		const { down } = connectors.get(name);
		const isDown = status === 'Faulted' || status === 'Unavailable';
		if (isDown && down.at(-1)?.to !== Infinity) down.push({ from: at, to: Infinity });
		if (!isDown && down.at(-1)?.to === Infinity) down.at(-1).to = at;
	};
	const { evseId, connectorId, status, connectorStatus, eventData = [] } = payload.payload ?? {};
	if (payload.action === 'StatusNotification' && connectorId > 0) {
		report(evseId === undefined ? String(connectorId) : evseId + '/' + connectorId, status ?? connectorStatus);
	}
	for (const { component, variable, actualValue } of eventData) {
		if (payload.action !== 'NotifyEvent' || variable.name !== 'AvailabilityState') continue;
		if (component.evse?.connectorId === undefined) continue;
		report(component.evse.id + '/' + component.evse.connectorId, actualValue);
	}
}
const items = [];
for (const [id, { offline, connectors }] of stations) {
	for (const [connector, { first, down }] of connectors) {
		let [ms, end] = [0, from];
		for (const span of [...offline, ...down].sort((a, b) => a.from - b.from)) {
			ms += Math.max(0, Math.min(span.to, to) - Math.max(span.from, end));
			end = Math.max(end, Math.min(span.to, to));
		}
		const known = to - Math.max(from, first);
		items.push({ json: { id, connector, downMinutes: Math.floor(ms / 60000), uptimePercent: (100 * (known - ms)) / known } });
	}
}
return items;`;

/** The processes of n8n: its task runner is one of its own. */
function family(pid: number): number[] {
	const parents = new Map<number, number>();
	for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
		try {
			const [, fields = ''] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ');
			parents.set(Number(name), Number(fields.split(' ')[1]));
		} catch {
			// It has ended.
		}
	}
	const isOf = (one = 0): boolean => one === pid || (one > 1 && isOf(parents.get(one)));
	return [...parents.keys()].filter((one) => isOf(one));
}

interface Measured {
	readonly items: readonly Row[];
	readonly row: object;
}

/** In an n8n of its own. Its peak includes what it needs without a workflow. */
async function measured(
	service: Simulator,
	stepsWith: (credentials: readonly CredentialName[]) => Readonly<Record<string, NodePlan>>,
): Promise<Measured> {
	// As an operator raises them for data of this size.
	const env = { N8N_RUNNERS_TASK_TIMEOUT: '1800', NODE_OPTIONS: '--max-old-space-size=4096' };
	const world = await createWorld({ env, log: console.error });
	try {
		const credentials = [await world.client.createCredential(apiCredential(service))];
		const url = await publish(
			world,
			webhook({ responseMode: 'lastNode', responseData: 'allEntries' }),
			stepsWith(credentials),
			{ saveDataSuccessExecution: 'none' },
		);
		const { pid } = world.server;
		const before = new Map(family(pid).map((one) => [one, cpuMs(one)]));
		const idle = memoryOf(pid, 'VmRSS');
		const requests = service.stats.requests.length;
		// Resets Linux's peak, see proc_pid_clear_refs(5).
		for (const one of before.keys()) writeFileSync(`/proc/${one}/clear_refs`, '5');
		const silence = watchSilence(`${world.url}/healthz`);
		const since = performance.now();
		const response = await request(url, { method: 'POST', headersTimeout: 0, bodyTimeout: 0 });
		const body = await response.body.text();
		const seconds = (performance.now() - since) / 1000;
		const longest = await silence();
		if (response.statusCode !== 200) {
			throw new Error(`n8n responded with ${response.statusCode}: ${body}`);
		}
		const spent = family(pid).reduce((sum, one) => sum + cpuMs(one) - (before.get(one) ?? 0), 0);
		const items = Rows.parse(JSON.parse(body));
		return {
			items,
			row: {
				...{ items: items.length, requests: service.stats.requests.length - requests },
				...{ 'CPU, s': (spent / 1000).toFixed(1), 'time, s': seconds.toFixed(0) },
				...{ 'idle, MB': idle.toFixed(0), 'peak, MB': memoryOf(pid, 'VmHWM').toFixed(0) },
				'longest silence, ms': longest.toFixed(0),
			},
		};
	} finally {
		await world.dispose();
	}
}

const memoryOf = (pid: number, field: string): number =>
	family(pid).reduce((sum, one) => {
		const found = new RegExp(`${field}:\\s+(\\d+)`).exec(
			readFileSync(`/proc/${one}/status`, 'utf8'),
		);
		return sum + Number(found?.[1] ?? 0) / 1024;
	}, 0);

/** Asks in a thread of its own: the simulator runs in this one. Returns the longest time without a response, in milliseconds. */
function watchSilence(url: string): () => Promise<number> {
	const worker = new Worker(ASKING, { eval: true, workerData: url });
	return async () => {
		worker.postMessage('end');
		const answered: unknown[] = await once(worker, 'message');
		await worker.terminate();
		return Number(answered[0]);
	};
}

const ASKING = `
const { parentPort, workerData } = require('node:worker_threads');
let [isOver, longest] = [false, 0];
parentPort.once('message', () => (isOver = true));
(async () => {
	while (!isOver) {
		const asked = performance.now();
		// A connection that was idle for as long as n8n was silent is closed: asked again.
		const ask = () => fetch(workerData).then((response) => response.text());
		await ask().catch(ask);
		longest = Math.max(longest, performance.now() - asked);
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	parentPort.postMessage(longest);
})();`;

void main();
