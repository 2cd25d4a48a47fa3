/** The output of Get Rejections for polling triggers: how far they read, and what they left out. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';
import { asText } from '../../../lib/shared/values';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { createPollNode } from '../../support/pollNode';
import { runNode } from '../../support/runNode';
import { useSimulatedService } from '../../support/simulatedService';
import { publish } from './publish';

const MINUTE_MS = 60_000;
const EVENTS = '/webhooks/v1/webhook-events';
const service = useSimulatedService();

const published = (trigger: INodeType, parameters: INodeParameters = {}) => {
	const workflowId = randomUUID();
	const node = createPollNode({
		...{ trigger, workflowId },
		credential: service.credential(),
		parameters: { ...parameters, options: { accountAccess: 'anyWorkflow' } },
	});
	return { workflowId, poll: node.activation('activate') };
};
const getRejections = async (workflowId: string) => {
	const { items, error, hints } = await runNode({
		node: new AssetService(),
		parameters: { resource: 'event', operation: 'getRejections', workflowId },
	});
	expect(error).toBeUndefined();
	return { items: items.map(({ json }) => json), hints };
};
const shown = async (workflowId: string) => {
	const found = await getRejections(workflowId);
	expect(JSON.stringify(found)).not.toMatch(/production URL|Trigger On|Conditions/);
	return found;
};
const byReason = (items: readonly IDataObject[]) =>
	Object.fromEntries(items.map((item) => [asText(item['reason']), item]));
const emit = async (type: string, data: Record<string, unknown>, createdAt = Date.now()) => {
	const at = new Date(createdAt).toISOString();
	await service.simulator.emit({ type, createdAt: at, data }, { deliver: false });
};

it('shows when a Station Trigger last polled, how far behind it reads and how many stations it watches', async () => {
	await emit('asset.connectivity', { asset: { id: 'a' }, status: 'CONNECTED' });
	const { workflowId, poll } = published(new AssetServiceStationTrigger());
	const since = Date.now();
	await poll();
	const { items, hints } = await shown(workflowId);
	expect(hints).toEqual([]);
	expect(items).toEqual([
		{
			...{ reason: 'polled', count: null, advice: 'Nothing to do.' },
			...{ lastAt: expect.any(String) as string, firstAt: null, lastDeliveryId: null },
			...{ lastProblem: null, nodeName: 'Node', nodeId: expect.any(String) as string },
			...{ behindMinutes: 0, stations: expect.any(Number) as number },
		},
	]);
	expect(Date.parse(asText(items[0]?.['lastAt']))).toBeGreaterThanOrEqual(since);
	expect(Object.keys(items[0] ?? {}).slice(0, 3)).toEqual(['reason', 'count', 'advice']);
});

it('counts what a Station Trigger left out, each event once although polls read it again', async () => {
	const { workflowId, poll } = published(new AssetServiceStationTrigger(), {
		triggerOn: 'connectorStatus',
	});
	await poll();
	const status = { action: 'StatusNotification', messageType: 'CALL', asset: { id: 'a' } };
	for (let n = 0; n < 2; n++) await emit('ocpp.message', status);
	const dated = { ...status, payload: { connectorId: 1, status: 'Faulted', errorCode: 'NoError' } };
	await emit('ocpp.message', dated, Date.now() + 60 * MINUTE_MS);
	for (let polls = 0; polls < 3; polls++) await poll();
	const { unreadable, undated, ...others } = byReason((await shown(workflowId)).items);
	expect(unreadable).toMatchObject({
		...{ count: 2, lastProblem: 'Left out 2 messages that cannot be read.' },
		advice: expect.stringMatching(/^Ask the provider/) as string,
	});
	expect(undated).toMatchObject({ count: 1 });
	expect(Object.keys(others)).toEqual(['polled']);
});

it.each([
	['Poll Trigger', () => new AssetServicePollTrigger()],
	['Station Trigger', () => new AssetServiceStationTrigger()],
])(
	'counts the failed polls of a %s with their cause, and keeps how far it read',
	async (_name, make) => {
		const { workflowId, poll } = published(make());
		await poll();
		await emit('asset.connectivity', { asset: { id: 'a' }, status: 'CONNECTED' });
		await poll();
		const { polled: before } = byReason((await shown(workflowId)).items);
		expect(before).toMatchObject({ behindMinutes: 0 });
		service.simulator.faults.add({ path: EVENTS, status: 403 });
		let failures = 0;
		// A poll does nothing while the one before is not over.
		while (failures < 2) {
			await poll().catch(() => {
				failures += 1;
			});
		}
		const { poll_failed: failed, polled } = byReason((await shown(workflowId)).items);
		expect(failed).toMatchObject({
			...{ count: 2, nodeName: 'Node' },
			lastProblem: expect.stringContaining('403') as string,
			advice: expect.stringMatching(/^[A-Z].*\.$/) as string,
		});
		expect(polled).toMatchObject({ behindMinutes: 0, stations: before?.['stations'] });
	},
);

it('says what to do about a trigger that no longer polls', async () => {
	const { workflowId, poll } = published(new AssetServicePollTrigger());
	await poll();
	const later = Date.now() + 3 * 24 * 60 * MINUTE_MS;
	const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
	const { items } = await shown(workflowId);
	clock.mockRestore();
	expect(items).toMatchObject([
		{ reason: 'polled', advice: expect.stringContaining("'Poll Times' in the node") as string },
	]);
});

/** The labels of the fields that a text names. */
const fieldsIn = (text: string) => [...text.matchAll(/'([A-Z][^']*)'/g)].map(([, field]) => field);

interface Cause {
	readonly trigger: INodeType;
	readonly parameters?: INodeParameters;
	/** Before the first poll. */
	readonly given?: () => void;
	/** What happens between two polls. */
	readonly happens?: () => Promise<void> | void;
	readonly problem: RegExp;
	/** The fields that the cause is in. */
	readonly fields: readonly string[];
}
const asStation = () => new AssetServiceStationTrigger();
const asPoll = () => new AssetServicePollTrigger();
const faulty = (path: string) => () => {
	service.simulator.faults.add({ path, status: 403 });
};
const CAUSES: readonly (readonly [reason: string, cause: Cause])[] = [
	[
		'words',
		{
			...{
				trigger: asStation(),
				problem: /'gone'/,
				fields: ['Connected Words', 'Disconnected Words'],
			},
			happens: () => emit('asset.connectivity', { asset: { id: 'a' }, status: 'gone' }),
		},
	],
	[
		'undated',
		{
			...{ trigger: asStation(), problem: /without a time, or with a future one/, fields: [] },
			happens: () =>
				emit(
					'asset.connectivity',
					{ asset: { id: 'a' }, status: 'CONNECTED' },
					Date.now() + 60 * MINUTE_MS,
				),
		},
	],
	[
		'assets',
		{
			...{ trigger: asStation(), problem: /stations appear by ID: .*403/i, fields: [] },
			given: faulty('/asset-management/v1/assets'),
		},
	],
	[
		'record_invalid',
		{
			...{
				trigger: asPoll(),
				problem: /1 of the listed events \(one, since it has no 'id'\)/,
				fields: [],
			},
			happens: () => {
				const createdAt = new Date().toISOString();
				const items = [{ eventType: 'asset.connectivity', createdAt, payload: {} }];
				service.simulator.faults.add({ path: EVENTS, body: { data: { hasMore: false, items } } });
			},
		},
	],
	[
		'poll_failed',
		{ ...{ trigger: asPoll(), problem: /403/, fields: [] }, happens: faulty(EVENTS) },
	],
	[
		'poll_failed',
		{
			...{ trigger: asStation(), parameters: { forMinutes: 20_000 } },
			problem: /'Report After \(Minutes\)' must be a whole number from 0 to 10080, but is 20000/,
			fields: [],
		},
	],
	[
		'poll_failed',
		{
			trigger: asPoll(),
			parameters: {
				conditions: { condition: [{ field: 'data.a', operator: 'greaterThan', value: 'abc' }] },
			},
			problem: /Condition 1: 'abc' is not a number/,
			fields: [],
		},
	],
	[
		'settings',
		{
			...{ trigger: asPoll(), parameters: { delivery: 'batched', batchSize: 5_000 } },
			problem: /'Batch Size' must be a number from 1 to 1000, but is 5000: 1000 is used/,
			fields: [],
		},
	],
];

it.each(CAUSES)(
	'%s says what is wrong, and names no field that is not the cause',
	async (reason, cause) => {
		const { trigger, parameters, given, happens, problem, fields } = cause;
		const { workflowId, poll } = published(trigger, parameters);
		// A poll that fails before it has published anything gives no other workflow access.
		await publish(workflowId, { nodeId: 'another trigger' });
		const quietly = () => poll().catch(() => undefined);
		given?.();
		await quietly();
		await happens?.();
		await quietly();
		const found = byReason((await getRejections(workflowId)).items)[reason];
		expect(found).toMatchObject({ lastProblem: expect.stringMatching(problem) as string });
		expect(fieldsIn(asText(found?.['advice']))).toEqual(fields);
	},
);
