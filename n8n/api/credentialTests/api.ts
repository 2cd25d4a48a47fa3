/** Tests the API credential with a new token, since n8n's own test would reuse a stored one and hide a wrong secret. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { testCredential } from '../../../lib/service';
import { credentialTestTransport } from '../transport';

export async function assetServiceApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const result = await testCredential(credential.data, credentialTestTransport(this.helpers));
	if (!result.ok) return { status: 'Error', message: result.message };
	const warning = result.warning === undefined ? '' : ` Warning: ${result.warning}`;
	return {
		status: 'OK',
		message: `Connection successful: a new token works and assets can be listed.${warning}`,
	};
}
