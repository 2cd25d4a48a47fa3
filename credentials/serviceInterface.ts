/** The fields of the API credential for what the specification leaves open; each shows its default. */
import type { INodeProperties } from 'n8n-workflow';
import { SERVICE_INTERFACE } from '../lib/service';

type Field = Exclude<keyof typeof SERVICE_INTERFACE, 'pageSize'>;

const text = (name: Field, displayName: string, description: string): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	placeholder: SERVICE_INTERFACE[name],
	description,
});

const settings: INodeProperties[] = [
	text(
		'cursorParameter',
		'Cursor Parameter',
		'Query parameter with the ID of the last record of the page before',
	),
	text(
		'endpointEventsField',
		'Endpoint Events Field',
		'Field with the event types in the request that creates a webhook endpoint',
	),
	text(
		'endpointIdField',
		'Endpoint ID Field',
		'Field with the ID in the answer to the creation, as names separated by dots, in data or beside it',
	),
	text(
		'endpointSecretField',
		'Endpoint Secret Field',
		'Field with the signing secret in the answer to the creation, as names separated by dots, in data or beside it',
	),
	text(
		'endpointUrlField',
		'Endpoint URL Field',
		'Field with the URL in the request that creates a webhook endpoint',
	),
	text(
		'endpointsPath',
		'Endpoints Path',
		'Path where webhook endpoints are created, and deleted by their ID below it',
	),
	text(
		'limitParameter',
		'Limit Parameter',
		'Query parameter with the number of records to ask for',
	),
	{
		displayName: 'Page Size',
		name: 'pageSize',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: SERVICE_INTERFACE.pageSize,
		placeholder: String(SERVICE_INTERFACE.pageSize),
		description: 'Most records to ask for in one request. 0 sends no limit.',
	},
	text(
		'resendPath',
		'Resend Path',
		'Path that has a delivery sent again, with {deliveryId} in it, and {endpointId} where it is needed',
	),
];

/**
 * n8n draws nothing but the name of a collection in a credential (2.41.1), so it is the heading of the fields below it, which
 * a person fills in. Credentials that are made by other means may hold the same settings as a collection.
 */
export const serviceInterface: INodeProperties[] = [
	{
		displayName: 'Service Interface',
		name: 'serviceInterface',
		type: 'collection',
		placeholder: 'Add setting',
		default: {},
		description: 'What the specification of the service leaves open',
		options: settings,
	},
	{
		displayName: 'Differs From the Usual',
		name: 'changeServiceInterface',
		type: 'boolean',
		default: false,
		description:
			'Whether your service does what its specification leaves open in another way than the usual one',
	},
	...settings.map((setting) => ({
		...setting,
		displayOptions: { show: { changeServiceInterface: [true] } },
	})),
];
