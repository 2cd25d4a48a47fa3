/** Who may reconcile and replay the events of a published trigger: recorded in the ledger for the action node. */
import { HookContext } from 'n8n-core';
import type { IHookFunctions, INode, IWebhookData, WorkflowActivateMode } from 'n8n-workflow';
import { readPublication } from '../../../lib/accounts';
import { openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { oneNodeWorkflow } from '../../support/engine';
import { waitFor } from '../../support/wait';
import { useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

const trigger = new AssetServiceTrigger();

async function publish(
	workflowId: string,
	parameters: INode['parameters'],
	{ mode = 'activate', nodeId }: { mode?: WorkflowActivateMode; nodeId?: string } = {},
) {
	const { node, workflow, additionalData } = oneNodeWorkflow({
		...{ nodeType: trigger, typeVersion: 2, parameters, workflowId, nodeId },
		credentialTypes: ['assetServiceSigningSecretApi'],
		readCredential: async () => ({ signingSecret: 'whsec-0123456789abcdef' }),
	});
	const base = 'https://n8n.example.com/webhook';
	Object.assign(additionalData, { webhookBaseUrl: base, webhookTestBaseUrl: `${base}-test` });
	const webhook = { isTest: mode === 'manual' } as IWebhookData;
	const context = new HookContext(workflow, node, additionalData, 'trigger', mode, webhook);
	const hooks = trigger.webhookMethods.default;
	await hooks.checkExists.call(context as unknown as IHookFunctions);
}

const recorded = async (workflowId: string) =>
	await readPublication(await openLedger({ log: () => undefined }), workflowId);
/** The recording does not hold up the publication. */
const until = async (workflowId: string, isSo: (access: string | undefined) => boolean) =>
	await waitFor(
		async () => {
			const { triggers = {}, ...publication } = (await recorded(workflowId)) ?? {};
			const [own] = Object.values(triggers);
			return isSo(own?.settings.access) && { ...publication, triggers };
		},
		{ what: 'the publication to be recorded' },
	);

it('is recorded with what the trigger wants, at every publication', async () => {
	const before = Date.now();
	await publish('flow', { eventTypes: ['ocpp.*'], options: { accountAccess: 'anyWorkflow' } });
	const { publishedAt } = await until('flow', (access) => access === 'anyWorkflow');
	expect(publishedAt).toBeGreaterThanOrEqual(before);
	await publish('flow', {
		options: { accountAccess: 'selectedWorkflows', accountWorkflowIds: 'a, b' },
	});
	const { triggers } = await until('flow', (access) => access === 'selectedWorkflows');
	expect(Object.values(triggers)).toMatchObject([
		{ settings: { kind: 'webhook', accountWorkflowIds: ['a', 'b'], eventTypes: [] } },
	]);
	expect((await recorded('flow'))?.publishedAt).toBe(publishedAt);
	await publish('flow', {});
	await until('flow', (access) => access === 'thisWorkflow');
});

it('is not changed by a test in the editor', async () => {
	await publish('tested', { options: { accountAccess: 'anyWorkflow' } }, { mode: 'manual' });
	await publish('published', {});
	await until('published', (access) => access === 'thisWorkflow');
	expect(await recorded('tested')).toBeUndefined();
});
