/** A signed-in owner of an n8n instance, for tests: does everything over n8n's internal REST that a user does in the editor. */
import { z } from 'zod/v4';
import { waitFor } from '../wait';
import { createDataTablesClient, type DataTablesClient } from './dataTables';
import { createExecutionsClient, type ExecutionsClient } from './executions';
import {
	type Credential,
	CredentialShape,
	type CredentialTest,
	CredentialTestShape,
} from './responses';
import { createSession, type Session, unlessNotFound } from './session';
import { createWorkflowsClient, type WorkflowsClient } from './workflows';

export interface Owner {
	readonly email: string;
	/** At least 8 characters, with a digit and a capital letter. */
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
	/** Creates the owner of a fresh n8n and signs in. */
	setUpOwner(owner: Owner): Promise<void>;
	/** For the owner: invites a member, who accepts. Returns a client that is signed in as that user. */
	addMember(member: Owner): Promise<N8nClient>;
	createCredential(content: CredentialContent): Promise<Credential>;
	updateCredential(id: string, content: CredentialContent): Promise<Credential>;
	/** Runs the credential's test with the given values, as the editor does on saving. */
	testCredential(content: CredentialContent & { readonly id?: string }): Promise<CredentialTest>;
	/** Every loaded node type and version, as `package.node@version`. */
	nodeTypes(): Promise<readonly string[]>;
}

const Anything = z.unknown();
const OneCredential = z.object({ data: CredentialShape });

const Invited = z.object({
	data: z.array(z.object({ user: z.object({ inviteAcceptUrl: z.string() }) })),
});

export function createN8nClient(url: string): N8nClient {
	return clientOf(createSession(url), url);
}

function clientOf(session: Session, url: string): N8nClient {
	return {
		...createWorkflowsClient(session, url),
		...createExecutionsClient(session),
		...createDataTablesClient(session),
		async setUpOwner(owner) {
			// Older versions report that they are ready before they serve this.
			await waitFor(
				() => unlessNotFound(session.send('POST', '/rest/owner/setup', Anything, owner)),
				{ what: 'n8n to take its owner', timeoutMs: 60_000 },
			);
		},
		async addMember({ email, ...member }) {
			const invitation = [{ email, role: 'global:member' }];
			const { data } = await session.send('POST', '/rest/invitations', Invited, invitation);
			const token = new URL(data[0]?.user.inviteAcceptUrl ?? '').searchParams.get('token');
			const own = createSession(url);
			await own.send('POST', '/rest/invitations/accept', Anything, { ...member, token });
			return clientOf(own, url);
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
