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
import { withBearer, withNewToken } from '../n8n/storedToken';
import { ignoreSslIssues } from './ignoreSslIssues';
import { plainHttpNotice } from './plainHttpNotice';
import { serviceInterface } from './serviceInterface';

export class AssetServiceApi implements ICredentialType {
	name = 'assetServiceApi';

	displayName = 'Asset Service API';

	icon = { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' } as const;

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'URL of the API, without the path of an operation',
		},
		plainHttpNotice('baseUrl'),
		{
			displayName: 'Auth URL',
			name: 'authUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://auth.example.com',
			description: 'URL of the token server. A trailing /oauth/token is optional.',
		},
		plainHttpNotice('authUrl'),
		{
			displayName: 'Audience',
			name: 'audience',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://audience.example.com',
			hint: 'The API audience from the documentation of your service. It often looks like a URL.',
			description: 'API audience to request the token for. Must match exactly.',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			required: true,
			default: '',
			description: 'Client ID of the API client, from the developer area of the service',
		},
		{
			displayName: 'Client Secret',
			name: 'clientSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'Client secret, shown when the API client is created',
		},
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
