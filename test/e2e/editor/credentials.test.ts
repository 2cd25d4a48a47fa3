/** Both credential forms in n8n's editor, in a real browser: they show the user each mistake. */
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { type CredentialForm, openEditor } from '../../support/n8n/browser';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { waitFor } from '../../support/wait';

const MINUTES = 60_000;
const SUCCESS = 'Connection tested successfully';
const WRONG = 'a-wrong-client-secret-0123456789';

const world = useWorld();
const simulator = useForAll(() => startSimulator());
const editor = useForAll(() => openEditor(world));

describe('the form of the API credential', () => {
	let form: CredentialForm;

	beforeAll(async () => {
		const { id } = await world.client.createCredential(apiCredential(simulator));
		form = await editor.openCredential(id);
	});

	it('reports that correct settings work, without showing a secret', async () => {
		await form.shows(SUCCESS);
		expect(await form.form.innerHTML()).not.toContain(simulator.clientSecret);
	});

	it('warns of plain http where it is accepted, since n8n does not show the message of a successful test', async () => {
		const notices = form.form.getByText('is plain http');
		expect(await notices.count()).toBe(0);
		await form.fill({ baseUrl: 'http://assets.internal' });
		await form.shows("'Base URL' is plain http: anyone on the network");
		await form.fill({ authUrl: 'http://auth.internal' });
		await form.shows("'Auth URL' is plain http: anyone on the network");
		await form.fill({ baseUrl: simulator.baseUrl, authUrl: simulator.authUrl });
		await notices.first().waitFor({ state: 'hidden' });
		expect(await notices.count()).toBe(0);
	});

	it('accepts settings for a service that differs from the usual one', async () => {
		// The collection of the same name has no fields in the form.
		expect(await form.form.getByText('Service Interface', { exact: true }).count()).toBe(0);
		await form.shows('Customize Service Interface');
		const toggle = form.form.getByTestId('parameter-input-changeServiceInterface');
		await toggle.locator('.el-switch').click();
		await form.fill({ limitParameter: 'max' });
		await form.save();
		const asked = () => simulator.stats.requests.find(({ query }) => query['max'] === '1');
		await waitFor(asked, { what: 'a test with the other parameter', timeoutMs: MINUTES });
		await form.shows(SUCCESS);
		await form.fill({ limitParameter: '' });
	});

	it.each<[string, string | RegExp, () => Record<string, string>]>([
		[
			'a wrong base URL',
			/'Base URL' is probably not/,
			() => ({ baseUrl: `${simulator.baseUrl}/nowhere` }),
		],
		[
			'a base URL of plain http',
			/'Base URL' is a plain http/,
			() => ({ baseUrl: 'http://api.example.com' }),
		],
		['a wrong audience', /Check 'Audience'/, () => ({ audience: 'https://other.example' })],
		[
			'a wrong client secret',
			/rejected 'Client ID' or 'Client Secret'/,
			() => ({ clientSecret: WRONG }),
		],
		[
			'a client without the scope',
			/lacks the scope to list assets/,
			() => ({ ...simulator.addClient({ scopes: ['webhooks:read'] }) }),
		],
	])('shows what is wrong with %s', async (_what, message, changes) => {
		const { baseUrl, audience, clientId, clientSecret } = simulator;
		await form.fill({ baseUrl, audience, clientId, clientSecret, ...changes() });
		await form.save();
		await form.shows(message);
		const html = await form.form.innerText();
		for (const secret of [simulator.clientSecret, WRONG]) expect(html).not.toContain(secret);
	});

	it('says which field is empty', async () => {
		await form.fill({ audience: '' });
		await form.form.getByTestId('parameter-input-baseUrl').locator('input').first().click();
		await form.shows('This field is required');
		expect(editor.errors).toEqual([]);
	});
});

describe('the form of the signing secret credential', () => {
	let form: CredentialForm;

	beforeAll(async () => {
		const content = signingCredential('whsec_0123456789abcdef');
		const { id } = await world.client.createCredential(content);
		form = await editor.openCredential(id);
	});

	it('reports that the settings are valid, and what that does not prove', async () => {
		await form.shows(SUCCESS);
		await form.shows('The connection test only checks the format');
	});

	it.each<[string, string | RegExp, Record<string, string>]>([
		['white space around it', /white space/, { signingSecret: ' whsec_a ' }],
		[
			'that is the previous one',
			/is the same as 'Signing Secret'/,
			{ signingSecret: 'whsec_a', previousSigningSecret: 'whsec_a' },
		],
		[
			'that is empty',
			'This field is required',
			{ signingSecret: '', previousSigningSecret: 'whsec_a' },
		],
	])('shows what is wrong with a secret: %s', async (_what, message, values) => {
		await form.fill({ signingSecret: 'whsec_b', previousSigningSecret: '', ...values });
		await form.save();
		await form.shows(message);
		expect(editor.errors).toEqual([]);
	});
});
