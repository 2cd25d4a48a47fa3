/** The credential of the webhook trigger: the secrets that sign deliveries, and the scheme. */
import type { ICredentialType, INodeProperties } from 'n8n-workflow';
import { signatureFields } from '../n8n/fields/signatureFields';

export class AssetServiceSigningSecretApi implements ICredentialType {
	name = 'assetServiceSigningSecretApi';

	displayName = 'Asset Service Signing Secret API';

	icon = { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' } as const;

	properties: INodeProperties[] = [
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'Signing secret of the webhook endpoint. Must match exactly.',
			hint: 'The service shows it once, when the webhook endpoint is created',
		},
		{
			displayName: 'Previous Signing Secret',
			name: 'previousSigningSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'A second accepted secret: of the endpoint that you are replacing, or of an endpoint for the test URL. Clear this field after you delete that endpoint.',
			hint: 'Only needed while you rotate the secret or test with a second endpoint',
		},
		{
			displayName:
				'The connection test only checks the format. Only the first delivery shows whether it is the right secret.',
			name: 'formatNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { signingSecret: [{ _cnd: { exists: true } }] } },
		},
		...signatureFields,
	];
}
