/** The fields of the API credential for settings that the specification does not define; each shows its default. */
import type { INodeProperties } from 'n8n-workflow';
import { FIELD_LABELS, SERVICE_INTERFACE } from '../lib/service';

type InterfaceField = keyof typeof SERVICE_INTERFACE;

const CREATE_REQUEST = 'in the request that creates a webhook endpoint';
const CREATE_RESPONSE =
	"in the response to the creation of a webhook endpoint, in dot notation, inside or next to 'data'";

const field = (
	name: InterfaceField,
	{ description, ...more }: { readonly description: string } & Partial<INodeProperties>,
): INodeProperties => ({
	displayName: FIELD_LABELS[name],
	name,
	type: 'string',
	default: '',
	placeholder: `e.g. ${SERVICE_INTERFACE[name]}`,
	description: `${description}. Default: ${SERVICE_INTERFACE[name]}.`,
	...more,
});

const WORDS = 'separated by commas. Case, spaces, _ and - do not count';

const settings: INodeProperties[] = [
	field('connectedWords', {
		description: `Words in asset.connectivity events for a station that is connected, ${WORDS}`,
		placeholder: 'e.g. connected, online',
	}),
	field('connectionPath', {
		description:
			"Path of the word for the connection in the data of asset.connectivity events, in dot notation, such as 'connection.state'",
	}),
	field('cursorParameter', {
		description: 'Query parameter for the ID of the last record of the previous page',
	}),
	field('disconnectedWords', {
		description: `Words in asset.connectivity events for a station that is not connected, ${WORDS}`,
		placeholder: 'e.g. disconnected, offline',
	}),
	field('endpointEventsField', { description: `Field for the event types ${CREATE_REQUEST}` }),
	field('endpointIdField', { description: `Field with the endpoint ID ${CREATE_RESPONSE}` }),
	field('endpointSecretField', {
		description: `Field with the signing secret ${CREATE_RESPONSE}`,
	}),
	field('endpointUrlField', { description: `Field for the URL ${CREATE_REQUEST}` }),
	field('endpointsPath', {
		description:
			'Path of the webhook endpoints: POST creates one; DELETE with the ID at the end deletes it',
	}),
	field('limitParameter', { description: 'Query parameter for the number of records per page' }),
	field('pageSize', {
		description: 'Number of records to request per page, or 0 to send no limit',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: SERVICE_INTERFACE.pageSize,
	}),
	field('resendPath', {
		description: 'Path to resend a delivery, with {deliveryId} and, if needed, {endpointId} in it',
	}),
];

export const serviceInterface: INodeProperties[] = [
	{
		displayName: 'Service Interface',
		name: 'serviceInterface',
		type: 'collection',
		placeholder: 'Add setting',
		default: {},
		description: 'Settings that the API specification does not define',
		// For credentials that are created in other ways than the form. The form of n8n 2.41 would show its name and nothing below it.
		displayOptions: { showOnDeployment: 'cloud' },
		options: settings,
	},
	{
		displayName: 'Customize Service Interface',
		name: 'changeServiceInterface',
		type: 'boolean',
		default: false,
		description:
			'Whether your service uses other paths, parameters or field names than the defaults. An empty field keeps its default.',
	},
	...settings.map((setting) => ({
		...setting,
		displayOptions: { show: { changeServiceInterface: [true] } },
	})),
];
