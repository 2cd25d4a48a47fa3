import { HookContext } from 'n8n-core';
import type {
	IDataObject,
	IHookFunctions,
	INode,
	IWebhookData,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { rejections } from '../../../n8n/log/log';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { oneNodeWorkflow } from '../../support/engine';

const trigger = new AssetServiceTrigger();
const methods = trigger.webhookMethods.default;
const SECRET = 'whsec-0123456789abcdef';

interface HookOptions {
	readonly base?: string;
	readonly mode?: WorkflowActivateMode;
	readonly parameters?: INode['parameters'];
}

const hook = (credential: IDataObject, options: HookOptions = {}) => {
	const { base = 'https://n8n.example.com/webhook', mode = 'activate', parameters = {} } = options;
	const { node, workflow, additionalData } = oneNodeWorkflow({
		nodeType: trigger,
		typeVersion: 2,
		parameters,
		credentialTypes: ['assetServiceSigningSecretApi'],
		readCredential: async () => credential,
		workflowId: 'workflow-1',
	});
	Object.assign(additionalData, { webhookBaseUrl: base, webhookTestBaseUrl: `${base}-test` });
	const webhookData = { isTest: mode === 'manual' } as IWebhookData;
	const context = new HookContext(workflow, node, additionalData, 'trigger', mode, webhookData);
	const warn = jest.spyOn(context.logger, 'warn').mockImplementation();
	return { context: context as unknown as IHookFunctions, warnings: () => warn.mock.calls.flat() };
};

afterEach(() => {
	jest.restoreAllMocks();
});

describe('publishing a workflow with manual registration', () => {
	it('assumes that the endpoint exists, and neither creates nor deletes one', async () => {
		const { context, warnings } = hook({ signingSecret: SECRET });
		expect(await methods.checkExists.call(context)).toBe(true);
		expect(await methods.delete.call(context)).toBe(true);
		expect(warnings()).toEqual([]);
	});

	it('says in the log which settings are not applied as entered', async () => {
		const parameters = { delivery: 'batched', batchSize: 5000, options: { toleranceSeconds: -1 } };
		const { context, warnings } = hook({ signingSecret: SECRET }, { parameters });
		await methods.checkExists.call(context);
		expect(warnings()).toEqual([
			expect.stringContaining("'Batch Size' must be a number from 1 to 1000, but is 5000"),
			expect.stringContaining("'Tolerance (Seconds)' must be a number from 0 to 86400, but is -1"),
		]);
	});

	it.each<[WorkflowActivateMode, number]>([
		['activate', 1],
		['manual', 0],
	])('counts them for Get Rejections, unless it is a test: %s', async (mode, times) => {
		const count = jest.spyOn(rejections, 'count').mockImplementation();
		const parameters = { delivery: 'batched', batchSize: 5000 };
		const { context } = hook({ signingSecret: SECRET }, { parameters, mode });
		await methods.checkExists.call(context);
		const counted = [
			expect.objectContaining({ workflowId: 'workflow-1' }),
			'settings',
			expect.any(Function),
			{ problem: "'Batch Size' must be a number from 1 to 1000, but is 5000: 1000 is used" },
		];
		expect(count.mock.calls).toEqual(times === 0 ? [] : [counted]);
	});

	it.each(['manual', 'automatic'])(
		'fails if no event can meet a condition, with %s registration',
		async (registration) => {
			const condition = [{ field: 'data.payload.power', operator: 'greaterThan', value: 'abc' }];
			const parameters = { registration, conditions: { condition } };
			const { context } = hook({ signingSecret: SECRET }, { parameters });
			await expect(methods.checkExists.call(context)).rejects.toMatchObject({
				name: 'FinalPublicationError',
				message: expect.stringMatching(
					/^No event can meet the conditions\. Condition 1: 'abc' is not a number.*\. Correct 'Conditions', then try again\.$/,
				) as string,
			});
		},
	);

	it.each([
		['no secret', { signingSecret: '' }],
		[
			'an unknown template',
			{ signingSecret: SECRET, scheme: 'custom', signedPayload: '{nonsense}' },
		],
	])(
		'fails with a message that says what to correct if the credential has %s',
		async (_name, credential) => {
			const { context } = hook(credential);
			await expect(methods.checkExists.call(context)).rejects.toMatchObject({
				name: 'FinalPublicationError',
				message: expect.stringMatching(
					/^The signing secret credential is not complete: .* publish again\.$/,
				) as string,
			});
		},
	);

	it.each([`${SECRET} `, `"${SECRET}"`])(
		'uses secrets as typed, and warns of likely mistakes: %j',
		async (signingSecret) => {
			const { context, warnings } = hook({ signingSecret });
			expect(await methods.checkExists.call(context)).toBe(true);
			expect(warnings()).toEqual([
				expect.stringMatching(
					/: the signing secret credential may be wrong\. 'Signing Secret' starts or ends with white space or a quotation mark/,
				),
			]);
			expect(JSON.stringify(warnings())).not.toContain(SECRET);
		},
	);

	it('warns if the production URL is plain http on a public host, where nothing is delivered', async () => {
		const { context, warnings } = hook(
			{ signingSecret: SECRET },
			{ base: 'http://n8n.example.com/webhook' },
		);
		expect(await methods.checkExists.call(context)).toBe(true);
		expect(warnings()).toEqual([
			expect.stringMatching(/plain http on a public host.*Set N8N_WEBHOOK_URL .* to an https URL/),
		]);
	});

	it.each<[string, HookOptions]>([
		['on this machine', { base: 'http://localhost:5678/webhook' }],
		['for the test URL', { base: 'http://n8n.example.com/webhook', mode: 'manual' }],
	])('does not warn %s', async (_name, options) => {
		const { context, warnings } = hook({ signingSecret: SECRET }, options);
		await methods.checkExists.call(context);
		expect(warnings()).toEqual([]);
	});
});

describe('publishing a workflow with automatic registration', () => {
	it('names the missing credential', async () => {
		const { context } = hook({}, { parameters: { registration: 'automatic' } });
		await expect(methods.create.call(context)).rejects.toThrow(/assetServiceApi|credentials/i);
	});
});
