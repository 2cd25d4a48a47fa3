/** The credential of the service's API: URLs, API client, and a stored access token for n8n's HTTP Request node. */
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { FIELD_LABELS, SERVICE_INTERFACE } from '../lib/service';
import { withBearer, withNewToken } from '../n8n/api/credentials';

/** In any case, and after a blank. */
const PLAIN_HTTP = ['ttp://', 'TTP://'].map((text) => ({ _cnd: { includes: text } }));
/** The hosts that `plainHttpWarning` leaves out when the credential is used, but for further addresses of the loopback network. */
const THIS_MACHINE = ['://localhost', '.localhost', '://127.0.0.1', '://[::1]'].flatMap((host) => [
	{ _cnd: { endsWith: host } },
	...[':', '/'].map((end) => ({ _cnd: { includes: `${host}${end}` } })),
]);

/**
 * The warning about an http URL in the form: n8n does not show the message of a test that succeeded. Without a regular expression:
 * n8n tests it whenever the credential is used, for at most 250 ms, and fails if the machine is busy for as long.
 */
function plainHttpNotice(field: 'baseUrl' | 'authUrl'): INodeProperties {
	return {
		displayName: `'${FIELD_LABELS[field]}' is plain http: anyone on the network between n8n and the service can read the secrets and the data. Use https if the service offers it.`,
		name: `${field}Notice`,
		type: 'notice',
		default: '',
		displayOptions: { show: { [field]: PLAIN_HTTP }, hide: { [field]: THIS_MACHINE } },
	};
}

const required = (
	name: keyof typeof FIELD_LABELS,
	more: Partial<INodeProperties>,
): INodeProperties => ({
	displayName: FIELD_LABELS[name],
	name,
	type: 'string',
	required: true,
	default: '',
	...more,
});

/** Not marked as a password, although its name contains "auth": n8n would give the editor a text instead of a boolean. */
const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description:
		'Whether to connect even if the TLS certificate of the service cannot be verified. Anyone between n8n and the service can then read the secrets.',
};

export class AssetServiceApi implements ICredentialType {
	name = 'assetServiceApi';

	displayName = 'Asset Service API';

	icon = { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' } as const;

	properties: INodeProperties[] = [
		required('baseUrl', {
			placeholder: 'e.g. https://api.example.com',
			description: 'URL of the API, without the path of an operation',
		}),
		plainHttpNotice('baseUrl'),
		required('authUrl', {
			placeholder: 'e.g. https://auth.example.com',
			description: 'URL of the token server. A trailing /oauth/token is optional.',
		}),
		plainHttpNotice('authUrl'),
		required('audience', {
			placeholder: 'e.g. https://audience.example.com',
			hint: 'The API audience from the documentation of your service. It often looks like a URL.',
			description: 'API audience to request the token for. Must match exactly.',
		}),
		required('clientId', {
			description: 'Client ID of the API client, from the developer area of the service',
		}),
		required('clientSecret', {
			typeOptions: { password: true },
			description: 'Client secret, shown when the API client is created',
		}),
		ignoreSslIssues,
		...serviceInterface,
		// Only for the HTTP Request node: n8n stores only declared properties.
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'hidden',
			// n8n calls preAuthentication while this is empty, and after a 401. As a password it never reaches the browser.
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Expires At',
			name: 'expiresAt',
			type: 'hidden',
			default: '',
		},
		{
			displayName: 'Access Token Origin',
			name: 'accessTokenOrigin',
			type: 'hidden',
			typeOptions: { password: true },
			default: '',
		},
	];

	/** A function, because n8n then needs no expression, and it can reject a token that has expired or belongs to other settings. */
	authenticate: IAuthenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => withBearer(credentials, requestOptions);

	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		return await withNewToken(this.helpers, credentials);
	}
}

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
const IN_EVENT = 'in an event, in dot notation. Several paths are separated by commas';
const IN_LIST = 'in the response of a list, in dot notation';

/** For a field whose default is found in another way than by its value. */
const unset = (
	name: InterfaceField,
	description: string,
	placeholder: string,
): INodeProperties => ({
	...field(name, { description, placeholder }),
	description,
});

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
	field('eventAssetIdPath', { description: `Path of the asset ID ${IN_EVENT}` }),
	field('eventIdPath', { description: `Path of the event ID ${IN_EVENT}` }),
	field('eventPayloadPath', { description: `Path of the payload ${IN_EVENT}` }),
	field('eventTimePath', { description: `Path of the time of creation ${IN_EVENT}` }),
	field('eventTypePath', { description: `Path of the event type ${IN_EVENT}` }),
	field('failedWords', {
		description:
			'Words in the status of a delivery that failed, separated by commas. Case does not count',
	}),
	unset(
		'hasMorePath',
		`Path of the value that says whether there is another page, ${IN_LIST}. Default: hasMore, next to the records.`,
		'e.g. result.more',
	),
	unset(
		'itemsPath',
		`Path of the records ${IN_LIST}. Several paths are separated by commas. Default: by the form of the response.`,
		'e.g. result.rows',
	),
	field('limitParameter', { description: 'Query parameter for the number of records per page' }),
	unset(
		'nextCursorPath',
		`Path of the value to request the next page with, ${IN_LIST}. Default: the ID of the last record.`,
		'e.g. result.next',
	),
	field('pageSize', {
		description: 'Number of records to request per page, or 0 to send no limit',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: SERVICE_INTERFACE.pageSize,
	}),
	field('resendPath', {
		description: 'Path to resend a delivery, with {deliveryId} and, if needed, {endpointId} in it',
	}),
	field('succeededWords', {
		description:
			'Words in the status of a delivery that succeeded, separated by commas. Case does not count',
	}),
];

const serviceInterface: INodeProperties[] = [
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
