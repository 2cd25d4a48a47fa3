import { NodeHelpers, type INodeProperties } from 'n8n-workflow';
import { AssetService } from '../../../../nodes/AssetService/AssetService.node';
import codex from '../../../../nodes/AssetService/AssetService.node.json';

const { description, methods } = new AssetService();

/** The resources in the order of the editor, with their operations. */
const OPERATIONS = {
	asset: ['getAll'],
	delivery: ['getAll', 'resend'],
	event: ['getAll', 'reconcile'],
	webhookEndpoint: ['create', 'delete', 'getHealth'],
};

const operationsOf = (resource: string) =>
	description.properties.filter(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.['resource']?.includes(resource),
	);

/** The parameters that n8n shows and passes on for these values. */
const shown = (values: Record<string, string | boolean>) =>
	description.properties
		.filter((property: INodeProperties) =>
			NodeHelpers.displayParameter(values, property, { typeVersion: 1 }, description),
		)
		.map(({ name }) => name);

describe('the description of the action node', () => {
	it('has its names, can be a tool, and tests its credential by a function', () => {
		expect(description).toMatchObject({
			name: 'assetService',
			displayName: 'Asset Service',
			usableAsTool: true,
			credentials: [{ name: 'assetServiceApi', required: true }],
		});
		const testedBy = description.credentials?.[0]?.testedBy;
		expect(Object.keys(methods.credentialTest)).toEqual([testedBy]);
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
			{ resource: 'asset', operation: 'getAll', returnAll: false },
			['returnAll', 'limit', 'simplify', 'filters', 'options'],
		],
		[
			{ resource: 'event', operation: 'getAll', returnAll: true },
			['returnAll', 'simplify', 'filters', 'options'],
		],
		[
			{ resource: 'event', operation: 'reconcile' },
			['workflowId', 'eventTypes', 'conditions', 'createdAfter', 'options'],
		],
		[
			{ resource: 'delivery', operation: 'getAll', returnAll: false },
			['endpointId', 'status', 'returnAll', 'limit', 'simplify', 'options'],
		],
		[{ resource: 'delivery', operation: 'resend' }, ['endpointId', 'deliveryId', 'options']],
		[
			{ resource: 'webhookEndpoint', operation: 'create' },
			['url', 'events', 'secretNotice', 'includeSecret', 'options'],
		],
		[{ resource: 'webhookEndpoint', operation: 'delete' }, ['endpointId', 'options']],
		[
			{ resource: 'webhookEndpoint', operation: 'getHealth' },
			['endpointId', 'createdAfter', 'options'],
		],
	])('shows for %j the parameters %j', (values, expected) => {
		expect(shown(values)).toEqual(['resource', 'operation', ...expected]);
	});

	it('is found by the names that people search for', () => {
		expect(codex.node).toBe(`n8n-nodes-asset-service.${description.name}`);
		expect(codex.alias).toEqual(
			expect.arrayContaining(['Lynkwell', 'OCPP', 'Webhook', 'Charging station']),
		);
	});
});
