/** The editor's request to a node when a user opens a condition. */
import type { ILoadOptionsFunctions, INodeParameters, INodeType } from 'n8n-workflow';
import { CONDITION_FIELDS } from '../../lib/event';
import { AssetService } from '../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { editorContext } from '../support/engine';
import { stopWorlds, type World } from '../unit/service/world';
import { pages, serving } from './AssetService/runs';
import { eventOf, send, start, useLedgerOfItsOwn } from './AssetServiceTrigger/deliveries';

const KNOWN_FIELDS = [
	...Object.entries(CONDITION_FIELDS).map(([value, name]) => ({ name, value })),
	{ name: 'Other (Enter Path)', value: 'other' },
];

afterEach(stopWorlds);
useLedgerOfItsOwn();

const EVENTS = '/webhooks/v1/webhook-events';
const events = Array.from({ length: 230 }, (_, n) => ({
	id: `whevt_${n}`,
	eventType: 'ocpp.message',
	payload: {
		action: 'StatusNotification',
		payload: { status: n % 2 === 0 ? 'Available' : '<b>Faulted</b>', info: `x${n % 3}` },
	},
}));
const eventsWorld = () => serving((request) => pages(events, request));

async function offered(
	nodeType: INodeType,
	world: World | undefined,
	parameters: INodeParameters = {},
	mostMs?: number,
	credentialTypes = world === undefined ? [] : ['assetServiceApi'],
) {
	const context = editorContext({
		...{ nodeType, path: '/parameters/conditions.condition[0].field', parameters },
		...{ credentialTypes, workflowId: 'workflow-1' },
		readCredential: async () => ({ ...world?.settings, serviceInterface: {} }),
	});
	const method = nodeType.methods?.loadOptions?.['conditionFields'] as (
		this: ILoadOptionsFunctions,
		mostMs?: number,
	) => Promise<unknown>;
	return await method.call(context, mostMs);
}

describe('the fields offered for a condition', () => {
	it.each<[string, INodeType, INodeParameters]>([
		['the poll trigger', new AssetServicePollTrigger(), {}],
		['automatic registration', new AssetServiceTrigger(), { registration: 'automatic' }],
		['Reconcile and Replay', new AssetService(), { resource: 'event', operation: 'reconcile' }],
	])(
		'are those of one page of recent events, with values, for %s',
		async (_who, node, parameters) => {
			const world = await eventsWorld();
			const list = await offered(node, world, parameters);
			expect(list).toEqual(
				expect.arrayContaining([
					{
						name: 'Status',
						value: 'data.payload.status',
						description: 'Recently: Available, ‹b>Faulted‹/b>',
					},
					{ name: 'Error Code (OCPP 1.6)', value: 'data.payload.errorCode' },
					{ name: 'Other (Enter Path)', value: 'other' },
					{
						name: 'data.payload.info',
						value: 'data.payload.info',
						description: 'Recently: x0, x1, x2',
					},
				]),
			);
			expect(world.service.to(EVENTS)).toHaveLength(1);
		},
	);

	it('are the known ones without an API credential to list events', async () => {
		expect(await offered(new AssetServicePollTrigger(), undefined)).toEqual(KNOWN_FIELDS);
		const world = await eventsWorld();
		const manual = offered(new AssetServiceTrigger(), world, { registration: 'manual' });
		expect(await manual).toEqual(KNOWN_FIELDS);
		expect(world.service.to(EVENTS)).toEqual([]);
	});

	it('are those of the events that arrived for manual registration, wanted or not', async () => {
		const node = new AssetServiceTrigger();
		const offeredNow = () =>
			offered(node, undefined, {}, undefined, ['assetServiceSigningSecretApi']);
		expect(await offeredNow()).toEqual(KNOWN_FIELDS);
		const parameters = { eventTypes: ['ocpp.message'], options: { includeDelivery: true } };
		const server = await start({ mode: 'manual', parameters });
		await send(server, eventOf({ data: { payload: { status: 'Faulted' } } }));
		await send(server, eventOf({ type: 'site.created', data: { site: 'Olive' } }));
		await send(server, eventOf({ data: { forged: 1 } }), { 'x-webhook-signature': 'forged' });
		const list = (await offeredNow()) as { value: string }[];
		expect(list).toEqual(
			expect.arrayContaining([
				{ name: 'Status', value: 'data.payload.status', description: 'Recently: Faulted' },
				{ name: 'data.site', value: 'data.site', description: 'Recently: Olive' },
			]),
		);
		const paths = list.map(({ value }) => value).filter((path) => /_delivery|forged/.test(path));
		expect(paths).toEqual([]);
	});

	it('are the known ones if the service rejects the request or takes too long', async () => {
		const refusing = await serving(() => ({ status: 403 }));
		expect(await offered(new AssetServicePollTrigger(), refusing)).toEqual(KNOWN_FIELDS);
		const slow = await serving(() => new Promise(() => undefined));
		expect(await offered(new AssetServicePollTrigger(), slow, {}, 50)).toEqual(KNOWN_FIELDS);
	});
});
