/** A service that lists and delivers odd records, on a real n8n: each is left out and named, and stops nothing else. */
import { startSimulator } from '../../../simulator';
import { startHttpService } from '../../support/httpService';
import { useForAll } from '../../support/lifetime';
import { OPEN_TO_ALL } from '../../support/n8n/accounts';
import { apiCredential } from '../../support/n8n/credentials';
import { errorOf, itemsOf } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { ACTION_TYPE, POLL_TRIGGER_TYPE, STATION_TRIGGER_TYPE } from '../../support/nodes';
import { listedText, type ListedText, poisoned, POISONS } from '../../support/poisons';
import { answerOf } from '../../support/textList';
import { buildWorkflow, type NodePlan } from '../../support/workflow';
import { answered, post, refusalsIn } from './deliveries';
import { NODE, runByHand } from './runByHand';
import { publishTrigger } from './trigger';

const MINUTE = 60_000;
const PATIENCE = { timeoutMs: 5 * MINUTE };
const EVERY_MINUTE = { pollTimes: { item: [{ mode: 'everyMinute' }] } };
/** The largest takes n8n a while, and is read in the same way as others. */
const KINDS = Object.keys(POISONS).filter((kind) => kind !== '17 MB of text');
const LEFT_OUT = KINDS.filter((kind) => POISONS[kind]?.problem !== undefined);

const lists: { asset: ListedText[]; event: ListedText[] } = { asset: [], event: [] };
const service = useForAll(async () => {
	const http = await startHttpService(({ path, query }) =>
		answerOf(
			(resource) => lists[resource === 'asset' ? 'asset' : 'event'],
			path,
			new URLSearchParams(query),
		),
	);
	const access = { audience: 'a', clientId: `client-${http.port}`, clientSecret: 'a-secret' };
	return { ...http, ...access, baseUrl: http.url, authUrl: http.url };
});
const simulator = useForAll(() => startSimulator());
const world = useWorld();

const connection = (id: string, status: string, asset: string, createdAt: number) => ({
	...{ id, eventType: 'asset.connectivity', createdAt: new Date(createdAt).toISOString() },
	payload: { asset: { id: asset }, status },
});
const odd = (kind: string, fields: Readonly<Record<string, unknown>>) => {
	const poison = POISONS[kind];
	if (poison === undefined) throw new Error(kind);
	return poisoned(poison, fields);
};

/** Newest first, each odd record between two others, the first and the last one odd too. */
function prepareLists(): string[] {
	const start = Date.now() - 60 * MINUTE;
	const ids: string[] = [];
	for (const [n, kind] of KINDS.entries()) {
		const at = start + n * 2_000;
		lists.event.unshift(odd(kind, connection(`odd-${n}`, 'CONNECTED', 'odd', at)));
		lists.event.unshift(listedText(connection(`event-${n}`, 'CONNECTED', 's1', at + 1_000)));
		ids.push(...(LEFT_OUT.includes(kind) ? [] : [`odd-${n}`]), `event-${n}`);
	}
	lists.event.unshift(odd('601 levels', connection('odd-last', 'CONNECTED', 'odd', Date.now())));
	lists.asset = [
		listedText({ id: 's1', name: 'Station one' }),
		...KINDS.map((kind, n) => odd(kind, { id: `asset-${n}`, name: 'Odd' })),
		listedText({ id: 's2', name: 'Station two' }),
	];
	return ids;
}

async function publish(type: string, parameters: object): Promise<string> {
	const { client } = world;
	const trigger: NodePlan = {
		...{
			type,
			typeVersion: 1,
			credentials: [await client.createCredential(apiCredential(service))],
		},
		parameters: { ...EVERY_MINUTE, ...parameters },
	};
	const { id } = await client.createWorkflow(buildWorkflow({ nodes: { Trigger: trigger } }));
	await client.activate(id);
	return id;
}

async function ask(parameters: object) {
	const execution = await runByHand(world, {
		...{ type: ACTION_TYPE, typeVersion: 1, parameters: { ...parameters } },
		credentials: [await world.client.createCredential(apiCredential(service))],
	});
	const [run] = execution.data.resultData.runData[NODE] ?? [];
	return {
		error: errorOf(execution),
		items: itemsOf(execution, NODE).map(({ json }) => json),
		hints: (run?.hints ?? []).map(({ message }) => message).join(' '),
	};
}

const startedBy = async (workflowId: string, count: number) => {
	const { client } = world;
	const executions = await client.waitForExecutions({ workflowId }, count, PATIENCE);
	const whole = await Promise.all(executions.map(({ id }) => client.getExecution(id)));
	return whole.flatMap((execution) => itemsOf(execution, 'Trigger').map(({ json }) => json));
};

it(
	'starts every other event, reports every incident and answers every question',
	async () => {
		const ids = prepareLists();
		const poll = await publish(POLL_TRIGGER_TYPE, { startFrom: 'retained', ...OPEN_TO_ALL });
		const station = await publish(STATION_TRIGGER_TYPE, {
			...{ triggerOn: 'stationOffline', forMinutes: 0, resolveAfterMinutes: 0 },
		});
		lists.event.unshift(listedText(connection('lost', 'DISCONNECTED', 's2', Date.now())));
		lists.event.unshift(
			odd('null', {}),
			odd('601 levels', connection('odd-late', 'CONNECTED', 's2', Date.now())),
		);

		const started = await startedBy(poll, ids.length + 1);
		expect(started.map(({ id }) => id).sort()).toEqual([...ids, 'lost'].sort());
		expect(await startedBy(station, 1)).toMatchObject([
			{ state: 'opened', station: { id: 's2', name: 'Station two' } },
		]);

		const many = await ask({ resource: 'event', operation: 'getAll', returnAll: true });
		expect(many.hints).toContain('Left out 4 of the listed events');
		const reconciled = await ask({ resource: 'event', operation: 'reconcile', workflowId: poll });
		expect(reconciled.items.map(({ id }) => id).sort()).toEqual(started.map(({ id }) => id).sort());
		expect(reconciled.hints).toMatch(/Left out \d+ of the listed events/);
		const resource = 'station';
		const found = await ask({
			resource,
			operation: 'getIncidents',
			triggerOn: 'stationOffline',
			forMinutes: 0,
		});
		expect(found.items).toHaveLength(1);
		expect(JSON.stringify(found.items)).toContain('Station two');
		const status = await ask({ resource, operation: 'getStatus' });
		const second = status.items.find((each) => JSON.stringify(each).includes('Station two'));
		expect(second).toMatchObject({ status: 'offline' });
		for (const operation of ['getSessions', 'getUptime']) {
			expect((await ask({ resource, operation })).error).toBeUndefined();
		}
		const { items: counts } = await ask({
			resource: 'event',
			operation: 'getRejections',
			workflowId: poll,
		});
		expect(counts).toContainEqual(expect.objectContaining({ reason: 'record_invalid' }));
		expect(counts.map(({ reason }) => reason)).not.toContain('poll_failed');
	},
	10 * MINUTE,
);

it('responds with 400 to deliveries that are odd in the same way, and accepts the next event', async () => {
	const trigger = await publishTrigger(world, simulator);
	const event = { id: 'whevt_next', type: 'ocpp.message', data: {} };
	for (const kind of LEFT_OUT) {
		const { text } = odd(kind, event);
		expect([kind, await post(trigger, text)]).toEqual([kind, answered(400, 'invalid')]);
	}
	expect(await post(trigger, JSON.stringify(event))).toEqual(answered(200, 'accepted'));
	const reasons = await refusalsIn(world, trigger, LEFT_OUT.length);
	expect(new Set(reasons)).toEqual(new Set(['event_invalid', 'event_too_large']));
});
