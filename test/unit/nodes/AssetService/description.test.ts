import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { LISTS } from '../../../../lib/service';
import { AssetService } from '../../../../nodes/AssetService/AssetService.node';
import codex from '../../../../nodes/AssetService/AssetService.node.json';
import pollCodex from '../../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node.json';
import stationCodex from '../../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node.json';
import triggerCodex from '../../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node.json';
import { expectedLists } from '../../../support/lists';
import { NodeHelpers } from '../../../support/nodeHelpers';

const { description, methods } = new AssetService();

/** The resources in the order of the editor, with their operations. */
const OPERATIONS = {
	...Object.fromEntries(expectedLists.map(([resource]) => [resource, ['getAll']])),
	delivery: ['getAll', 'resend'],
	event: ['getAll', 'reconcile', 'replay', 'getRejections'],
	station: ['getIncidents', 'getOutages', 'getSessions', 'getStatus', 'getUptime'],
	webhookEndpoint: ['create', 'delete', 'getHealth'],
};

const textOf = (file: string) => readFileSync(join(__dirname, '../../../..', file), 'utf8');

const operationsOf = (resource: string) =>
	description.properties.filter(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.['resource']?.includes(resource),
	);

/** The parameters that the editor shows for these values. */
const propertiesFor = (values: Record<string, string | boolean | number>) =>
	description.properties.filter(
		(property: INodeProperties) =>
			property.type !== 'hidden' &&
			NodeHelpers.displayParameter(values, property, { typeVersion: 1 }, description),
	);
const shown = (values: Record<string, string | boolean | number>) =>
	propertiesFor(values).map(({ name }) => name);

describe('the description of the action node', () => {
	it('has its names, can be a tool, and tests its credential by a function', () => {
		expect(description).toMatchObject({
			name: 'assetService',
			displayName: 'Asset Service',
			// n8n names nodes after the action: for a tool, whose name the model reads, and not on the canvas.
			...{
				skipNameGeneration: true,
				usableAsTool: { replacements: { skipNameGeneration: false } },
			},
			credentials: [{ name: 'assetServiceApi', required: true }],
		});
		const testedBy = description.credentials?.[0]?.testedBy;
		expect(Object.keys(methods.credentialTest)).toEqual([testedBy]);
	});

	it.each([
		['getRejections', false],
		['getAll', true],
		['reconcile', true],
	])('asks for a credential for %s: %j', (operation, isAsked) => {
		const [credential] = description.credentials ?? [];
		expect(
			credential &&
				NodeHelpers.displayParameter(
					{ resource: 'event', operation },
					credential,
					{ typeVersion: 1 },
					description,
				),
		).toBe(isAsked);
	});

	it('offers these resources and no other', () => {
		const offered = description.properties.find(({ name }) => name === 'resource')?.options;
		const values = (offered ?? []) as { value: string }[];
		expect(values.map(({ value }) => value)).toEqual(Object.keys(OPERATIONS));
	});

	it.each(Object.entries(OPERATIONS))('gives %s the operations %j', (resource, expected) => {
		const [operations, ...others] = operationsOf(resource);
		expect(others).toEqual([]);
		const options = (operations?.options ?? []) as { value: string; action: string }[];
		expect(options.map(({ value }) => value)).toEqual(expected);
		expect(options.every(({ action }) => action !== '')).toBe(true);
		expect(expected).toContain(operations?.default);
	});

	it.each([
		[
			{ resource: 'event', operation: 'reconcile' },
			[
				...['workflowId', 'eventTypes', 'conditions', 'states'],
				...['createdAfter', 'createdBefore'],
			],
		],
		[
			{ resource: 'event', operation: 'replay' },
			[
				...['workflowId', 'dryRun', 'eventIds', 'eventTypes', 'conditions', 'states'],
				...['createdAfter', 'createdBefore'],
			],
		],
		[{ resource: 'event', operation: 'getRejections' }, ['workflowId']],
		[
			{ resource: 'station', operation: 'getIncidents', triggerOn: 'connectorFault', times: 1 },
			[
				...['triggerOn', 'times', 'forMinutes', 'stations', 'assetIds'],
				...['createdAfter', 'createdBefore', 'lookBackHours', 'simplify', 'options'],
			],
		],
		[
			{ resource: 'station', operation: 'getSessions' },
			[
				'stations',
				'assetIds',
				'createdAfter',
				'createdBefore',
				'includeOpen',
				'lookBackHours',
				'simplify',
				'options',
			],
		],
		[
			{ resource: 'station', operation: 'getUptime' },
			[
				...['stations', 'assetIds', 'createdAfter', 'createdBefore', 'per', 'splitBy'],
				...[
					'countUnavailable',
					'unknownAs',
					'exclusions',
					'exclusionList',
					'lookBackHours',
					'simplify',
					'options',
				],
			],
		],
		[
			{ resource: 'station', operation: 'getOutages', per: 'port' },
			[
				...['stations', 'assetIds', 'createdAfter', 'createdBefore', 'per', 'portIs'],
				...['splitBy', 'countUnavailable'],
				...['exclusions', 'exclusionList', 'lookBackHours', 'simplify', 'options'],
			],
		],
		[
			{ resource: 'station', operation: 'getStatus' },
			['stations', 'assetIds', 'onlyProblems', 'lookBackHours', 'simplify', 'options'],
		],
		[{ resource: 'delivery', operation: 'resend' }, ['endpointId', 'deliveryId']],
		[
			{ resource: 'webhookEndpoint', operation: 'create' },
			['url', 'events', 'secretNotice', 'includeSecret'],
		],
		[{ resource: 'webhookEndpoint', operation: 'delete' }, ['endpointId']],
		[{ resource: 'webhookEndpoint', operation: 'getHealth' }, ['endpointId', 'createdAfter']],
	])('shows for %j the parameters %j', (values, expected) => {
		expect(shown(values)).toEqual(['resource', 'operation', ...expected]);
	});

	it('keeps what was entered when Reconcile becomes Replay, and back', () => {
		const entered: INodeParameters = {
			workflowId: 'flow',
			eventTypes: ['ocpp.message', '__other__'],
			otherEventTypes: 'site.*',
			conditions: { condition: [{ field: 'type', operator: 'equals', value: 'a' }] },
			states: ['failed'],
			createdAfter: '2026-01-01T00:00:00Z',
			createdBefore: '2026-01-02T00:00:00Z',
			options: { parallelItems: 3 },
		};
		const switched = (parameters: INodeParameters, operation: string) => {
			const node = { typeVersion: 1 } as INode;
			const of = (values: INodeParameters) =>
				NodeHelpers.getNodeParameters(
					...([description.properties, values, true, false, node, description] as const),
				) ?? {};
			return of({ ...of(parameters), operation });
		};
		const before = { resource: 'event', operation: 'reconcile', ...entered };
		const replay = switched(before, 'replay');
		expect(replay).toMatchObject({ ...entered, operation: 'replay', dryRun: true });
		expect(switched(replay, 'reconcile')).toMatchObject(before);
		// One property each, which does not name Operation: the editor drops the value otherwise.
		for (const name of Object.keys(entered)) {
			const operations = description.properties.flatMap((property) => {
				const {
					resource,
					'/operation': shared,
					operation = shared,
				} = property.displayOptions?.show ?? {};
				return property.name === name && resource?.includes('event') ? [operation] : [];
			});
			const isForBoth = (shown: unknown) => Array.isArray(shown) && shown.includes('replay');
			expect([name, operations.filter(isForBoth).length]).toEqual([name, 1]);
		}
		const named = description.properties.filter(
			({ name, displayOptions }) =>
				name in entered && displayOptions?.show?.['operation']?.includes('replay'),
		);
		expect(named).toEqual([]);
	});

	it.each(expectedLists)('shows for the list %s its parameters', (resource, expected) => {
		const values = { resource, operation: 'getAll', returnAll: false };
		expect(shown(values)).toEqual(['resource', 'operation', ...expected.shown]);
		const withoutLimit = expected.shown.filter((name) => name !== 'limit');
		expect(shown({ ...values, returnAll: true })).toEqual([
			'resource',
			'operation',
			...withoutLimit,
		]);
		const filters = propertiesFor(values).find(({ name }) => name === 'filters')?.options ?? [];
		expect(filters.map(({ name }) => name)).toEqual(expected.filters);
		const [{ options = [] } = {}] = operationsOf(resource);
		expect(options).toContainEqual(
			expect.objectContaining({
				name: 'Get Many',
				action: expect.stringMatching(new RegExp(`^Get many ${expected.called} `)) as string,
			}),
		);
	});

	it.each(expectedLists)('names the list %s, as docs/nodes.md does', (resource, list) => {
		const row = new RegExp(`^\\| ${LISTS[resource].name} +\\| Get Many `, 'm');
		const missing = Object.entries({
			description: description.description.includes(list.called),
			'docs/nodes.md': row.test(textOf('docs/nodes.md')),
		}).flatMap(([place, isNamed]) => (isNamed ? [] : [place]));
		expect(missing).toEqual([]);
	});

	it('is found by the names that people search for', () => {
		expect(codex.node).toBe(`n8n-nodes-asset-service.${description.name}`);
		const known = ['Lynkwell', 'OCPP', 'EV charging', 'EV charger', 'Charging station'];
		const operators = ['Charge point', 'Charger', 'EVSE', 'CPO', 'CSMS'];
		for (const { alias } of [codex, stationCodex]) {
			expect(alias).toEqual(expect.arrayContaining([...known, ...operators]));
		}
		// What happens at stations is the station trigger's: with the same phrase, another node would come before it.
		const incidents = [/offline$/i, /fault$/i, /stuck$/i, /session$/i];
		for (const word of incidents) {
			const holds = (alias: string) => word.test(alias);
			expect(stationCodex.alias).toContainEqual(expect.stringMatching(word));
			for (const { alias } of [triggerCodex, pollCodex]) expect(alias.filter(holds)).toEqual([]);
		}
		const shared = codex.alias.filter((alias) => stationCodex.alias.includes(alias));
		expect(shared.filter((alias) => alias.includes(' ')).sort()).toEqual(
			['Charge point', ...known.filter((alias) => alias.includes(' '))].sort(),
		);
	});

	it('says for each operation what its input and output are, and asks before what cannot be undone', () => {
		const operations = Object.keys(OPERATIONS)
			.flatMap((resource) => operationsOf(resource))
			.flatMap(({ options = [] }) => options as { value: string; description: string }[]);
		for (const { description } of operations) expect(description).toMatch(/\. Takes .* returns /);
		const asking = operations.filter(({ description }) => description.includes('confirmation'));
		expect(asking.map(({ value }) => value)).toEqual(['replay', 'create', 'delete']);
	});
});
