/** Checks the format of the signing secret credential: the service has no way to test a secret. */
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { checkSigningSettings } from '../../../lib/signature';

/** Returns all problems at once, so that a user can fix them in one go. */
export async function testSigningSecret(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const problems = checkSigningSettings(credential.data ?? {});
	return problems.length === 0
		? {
				status: 'OK',
				message:
					'The format is valid. Only the first delivery shows whether it is the right secret.',
			}
		: { status: 'Error', message: problems.join(' ') };
}
