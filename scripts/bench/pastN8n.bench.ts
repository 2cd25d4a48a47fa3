/**
 * Uptime per connector on a real n8n: Get Uptime, and n8n's HTTP Request node with a Code node that computes the same. CPU and
 * memory of n8n with its task runner, and the longest time in which it does not respond. `npx tsx scripts/bench/pastN8n.bench.ts`
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { startSimulator } from '../../simulator';
import { apiCredential } from '../../test/support/n8n/credentials';
import { createWorld, type World } from '../../test/support/n8n/world';
import { ACTION_TYPE, baseNode, httpRequest, webhook } from '../../test/support/nodes';
import type { NodePlan } from '../../test/support/workflow';
import { cpuMs, publish, runsToEnd } from './load';

const HOUR = 3_600_000;
const SCENES = [
	{ name: '30 days of 100 stations', assets: 100, eventsPerSecond: 0.09, hours: 29 * 24, back: 23 },
	{ name: '6 hours of 10,000 stations', assets: 10_000, eventsPerSecond: 9, hours: 5, back: 1 },
];

async function main(): Promise<void> {
	for (const scene of SCENES) {
		const service = await startSimulator({ profile: 'network', ...scene });
		// As an operator raises them for data of this size.
		const env = { N8N_RUNNERS_TASK_TIMEOUT: '1800', NODE_OPTIONS: '--max-old-space-size=4096' };
		const world = await createWorld({ env, log: console.error });
		try {
			const credentials = [await world.client.createCredential(apiCredential(service))];
			const to = Date.now();
			const from = to - scene.hours * HOUR;
			const [createdAfter, readFrom] = [from, from - scene.back * HOUR].map((time) =>
				new Date(time).toISOString(),
			);
			const parameters = { resource: 'station', operation: 'getUptime', createdAfter };
			const ours: NodePlan = {
				...{ type: ACTION_TYPE, typeVersion: 1, credentials },
				parameters: { ...parameters, lookBackHours: scene.back },
			};
			const pages: NodePlan = {
				...httpRequest(`${service.baseUrl}/webhooks/v1/webhook-events`, {
					authentication: 'predefinedCredentialType',
					nodeCredentialType: 'assetServiceApi',
					sendQuery: true,
					queryParameters: { parameters: [{ name: 'limit', value: '100' }] },
					options: { pagination: { pagination: paginationTo(readFrom) } },
				}),
				credentials,
			};
			const code = baseNode('code', 2, { jsCode: codeFor(from, to) });
			const rows: Record<string, object> = {};
			for (const [name, steps] of [
				['Get Uptime', { Uptime: ours }],
				['HTTP Request and Code', { Pages: pages, Code: code }],
			] as const) {
				const url = await publish(
					world,
					webhook({ responseMode: 'lastNode', responseData: 'allEntries' }),
					steps,
					{ saveDataSuccessExecution: 'none' },
				);
				await runsToEnd(world);
				rows[name] = await measured(world, url);
			}
			console.log(`\n${scene.name}`);
			console.table(rows);
		} finally {
			await world.dispose();
			await service.stop();
		}
	}
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

/** What a user would write: without older sockets, problems of components, EVSEs, exclusions, and late or repeated events. */
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
	if (payload.action === 'StatusNotification') {
		report(evseId === undefined ? String(connectorId) : evseId + '/' + connectorId, status ?? connectorStatus);
	}
	for (const { component, variable, actualValue } of eventData) {
		if (payload.action !== 'NotifyEvent' || variable.name !== 'AvailabilityState') continue;
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

async function measured(world: World, url: string): Promise<object> {
	const { pid } = world.server;
	// Resets Linux's peak, see proc_pid_clear_refs(5).
	for (const one of family(pid)) writeFileSync(`/proc/${one}/clear_refs`, '5');
	const before = new Map(family(pid).map((one) => [one, cpuMs(one)]));
	let [isOver, silence] = [false, 0];
	const since = performance.now();
	const asking = (async () => {
		while (!isOver) {
			const asked = performance.now();
			await fetch(`${world.url}/healthz`).then((response) => response.text());
			silence = Math.max(silence, performance.now() - asked);
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
	})();
	const response = await fetch(url, { method: 'POST' });
	const body = await response.text();
	const seconds = (performance.now() - since) / 1000;
	isOver = true;
	await asking;
	const processes = family(pid);
	const spent = processes.reduce((sum, one) => sum + cpuMs(one) - (before.get(one) ?? 0), 0);
	const peak = processes.reduce((sum, one) => {
		const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1];
		return sum + Number(found ?? 0) / 1024;
	}, 0);
	const items: unknown = response.ok ? JSON.parse(body) : [];
	return {
		...{
			status: response.status,
			items: Array.isArray(items) ? items.length : 0,
			seconds: seconds.toFixed(0),
		},
		...{ 'CPU, s': (spent / 1000).toFixed(1), 'peak, MB': peak.toFixed(0) },
		'longest silence, ms': silence.toFixed(0),
	};
}

void main();
