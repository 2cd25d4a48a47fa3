import type { INode, IWebhookFunctions } from 'n8n-workflow';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { PackageError } from '../../../../lib/shared/errors';
import { secretSource } from '../../../../n8n/endpoint/secrets';

interface Changes {
	readonly workflowId?: string;
	readonly mode?: string;
	readonly nodeId?: string;
	readonly registration?: 'manual' | 'automatic';
	readonly credentials?: INode['credentials'];
	readonly options?: { readonly scheme: string };
}

const signing = (id: string) => ({ assetServiceSigningSecretApi: { id, name: 'Secret' } });

const sourceOf = ({
	workflowId = 'workflow',
	mode = 'webhook',
	nodeId = 'node',
	registration = 'manual',
	credentials,
	options,
}: Changes = {}) =>
	secretSource({
		getNode: () => ({ id: nodeId, credentials, parameters: { registration, options } }),
		getWorkflow: () => ({ id: workflowId }),
		getMode: () => mode,
		getNodeParameter: () => registration,
		getNodeWebhookUrl: () => 'https://n8n.example/webhook/1',
		getWorkflowStaticData: () => ({}),
		getCredentials: async (type: string) => ({ signingSecret: `of ${type}` }),
	} as unknown as IWebhookFunctions);

describe('the source of the signing secrets', () => {
	it('is the credential of the node, unless its endpoint is registered', async () => {
		expect(await sourceOf().read()).toEqual({
			settings: { signingSecret: 'of assetServiceSigningSecretApi' },
		});
		expect(sourceOf().notConfigured).toBeUndefined();
		const { notConfigured, version } = sourceOf({ registration: 'automatic' });
		expect(notConfigured).toMatch(/no signing secret yet.*publish/);
		expect(version).toBeDefined();
	});

	it('is another one for another workflow, node, credential, registration, scheme and mode', () => {
		const keys = [
			{},
			{ workflowId: 'other' },
			{ mode: 'manual' },
			{ nodeId: 'other' },
			{ registration: 'automatic' as const },
			{ registration: 'automatic' as const, options: { scheme: 'custom' } },
			{ credentials: signing('1') },
			{ credentials: signing('2') },
		].map((changes) => sourceOf(changes).key);
		expect(new Set(keys).size).toBe(keys.length);
		expect(sourceOf().key).toBe(keys[0]);
	});

	it('says nothing of its own where only the credential of the API is set', () => {
		const credentials = { assetServiceApi: { id: '1', name: 'API' } };
		const refusal = sourceOf({ credentials }).refusalOf(new Error('hunter2'));
		expect(refusal).toEqual({ ok: false, reason: 'not_configured' });
	});

	it('passes on the errors of the ledger and the registration', () => {
		const { refusalOf } = sourceOf();
		expect(refusalOf(new LedgerUnavailableError('It is away.'))).toEqual({
			ok: false,
			reason: 'ledger_unavailable',
			detail: 'It is away.',
		});
		expect(refusalOf(new PackageError('The URL is wrong', { hint: 'Correct it.' }))).toEqual({
			ok: false,
			reason: 'not_configured',
			detail: 'The URL is wrong. Correct it.',
		});
	});
});
