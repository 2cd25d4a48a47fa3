import { HookContext, PollContext } from 'n8n-core';
import {
	type IHookFunctions,
	type INodeType,
	type IPollFunctions,
	type IWebhookData,
	type IWorkflowSettings,
	NodeOperationError,
} from 'n8n-workflow';
import { FinalPublicationError } from '../../n8n/log/nodeError';
import { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { oneNodeWorkflow } from '../support/engine';

type Settings = Pick<IWorkflowSettings, 'engineType'>;

const published = (nodeType: INodeType, settings: Settings) => {
	const { typeVersion, credentialTypes } = nodeType.description.polling
		? { typeVersion: 1, credentialTypes: ['assetServiceApi'] }
		: { typeVersion: 2, credentialTypes: ['assetServiceSigningSecretApi'] };
	const made = oneNodeWorkflow({
		nodeType,
		typeVersion,
		credentialTypes,
		readCredential: async () => ({ signingSecret: 'whsec-0123456789abcdef' }),
		workflowId: 'workflow-1',
	});
	Object.assign(made.workflow.settings, settings);
	Object.assign(made.additionalData, { webhookBaseUrl: 'https://n8n.example.com/webhook' });
	return made;
};

const checkExists = async (settings: Settings) => {
	const trigger = new AssetServiceTrigger();
	const { node, workflow, additionalData } = published(trigger, settings);
	const webhookData = { isTest: false } as IWebhookData;
	const mode = ['trigger', 'activate'] as const;
	const context = new HookContext(workflow, node, additionalData, ...mode, webhookData);
	return await trigger.webhookMethods.default.checkExists.call(
		context as unknown as IHookFunctions,
	);
};

const poll = async (settings: Settings) => {
	const trigger = new AssetServicePollTrigger();
	const { node, workflow, additionalData } = published(trigger, settings);
	const context = new PollContext(workflow, node, additionalData, 'trigger', 'activate');
	return await trigger.poll.call(context as unknown as IPollFunctions);
};

describe('a workflow in engine 2.0 of n8n, which never runs a trigger’s own step', () => {
	it.each([
		['webhook', checkExists, FinalPublicationError],
		['poll', poll, NodeOperationError],
	])('is rejected by the %s trigger when published', async (_name, publish, expected) => {
		const refusal = await publish({ engineType: 'v2' }).catch((error: unknown) => error);
		expect(refusal).toBeInstanceOf(expected);
		expect(refusal).toMatchObject({
			message: expect.stringMatching(
				/does not work with n8n's engine 2\.0.*Select the default engine in the workflow settings/,
			) as string,
		});
	});

	it.each<Settings>([{}, { engineType: 'v1' }])(
		'is not one with the settings %j',
		async (settings) => {
			expect(await checkExists(settings)).toBe(true);
			// The credential of the test has no service, which causes the poll's error.
			await expect(poll(settings)).rejects.not.toThrow(/engine/);
		},
	);
});
