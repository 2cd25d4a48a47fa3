/** A signed-in owner of an n8n, for tests: everything that they do in the editor, over n8n's internal REST. */
import { z } from 'zod/v4';
import { waitFor } from '../wait';
import {
	type Credential,
	CredentialShape,
	type CredentialTest,
	CredentialTestShape,
} from './answers';
import { createDataTablesClient, type DataTablesClient } from './dataTables';
import { createExecutionsClient, type ExecutionsClient } from './executions';
import { createSession, unlessNotFound } from './session';
import { createWorkflowsClient, type WorkflowsClient } from './workflows';

export interface Owner {
	readonly email: string;
	/** At least 8 characters, a digit and a capital among them. */
	readonly password: string;
	readonly firstName: string;
	readonly lastName: string;
}

export interface CredentialContent {
	readonly name: string;
	readonly type: string;
	readonly data: Readonly<Record<string, unknown>>;
}

export interface N8nClient extends WorkflowsClient, ExecutionsClient, DataTablesClient {
	/** Makes the owner of a fresh n8n, and signs in. */
	setUpOwner(owner: Owner): Promise<void>;
	createCredential(content: CredentialContent): Promise<Credential>;
	updateCredential(id: string, content: CredentialContent): Promise<Credential>;
	/** Runs the credential's test as the editor does on saving, with the values given. */
	testCredential(content: CredentialContent & { readonly id?: string }): Promise<CredentialTest>;
	/** Every node type and version that n8n has loaded, as `package.node@version`. */
	nodeTypes(): Promise<readonly string[]>;
}

const Anything = z.unknown();
const OneCredential = z.object({ data: CredentialShape });

export function createN8nClient(url: string): N8nClient {
	const session = createSession(url);
	return {
		...createWorkflowsClient(session, url),
		...createExecutionsClient(session),
		...createDataTablesClient(session),
		async setUpOwner(owner) {
			// Older versions say that they are ready before they serve this.
			await waitFor(
				() => unlessNotFound(session.send('POST', '/rest/owner/setup', Anything, owner)),
				{ what: 'n8n to take its owner', timeoutMs: 60_000 },
			);
		},
		async createCredential(content) {
			return (await session.send('POST', '/rest/credentials', OneCredential, content)).data;
		},
		async updateCredential(id, content) {
			const path = `/rest/credentials/${encodeURIComponent(id)}`;
			return (await session.send('PATCH', path, OneCredential, content)).data;
		},
		async testCredential({ id = '', ...content }) {
			const answer = await session.send(
				'POST',
				'/rest/credentials/test',
				z.object({ data: CredentialTestShape }),
				{ credentials: { id, ...content } },
			);
			return answer.data;
		},
		async nodeTypes() {
			return await session.send('GET', '/types/node-versions.json', z.array(z.string()));
		},
	};
}
