import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	NodeHelpers,
} from 'n8n-workflow';
import { AssetServiceSigningSecretApi } from '../../../credentials/AssetServiceSigningSecretApi.credentials';
import { checkSigningSettings } from '../../../lib/signature';
import { testSigningSecret } from '../../../n8n/credentialTests/signingSecret';

const credential = new AssetServiceSigningSecretApi();
const SECRET = 'whsec_a-secret-nobody-may-see';

/** The names of the fields that the form shows for a scheme. */
function shownFor(scheme: string): string[] {
	return credential.properties
		.filter(({ type }) => type !== 'notice')
		.filter(({ displayOptions }) => displayOptions?.show?.['scheme']?.includes(scheme) ?? true)
		.map(({ name }) => name);
}

/** The data that n8n stores if a user enters only the secret. */
function defaults(scheme = 'timestamped'): Record<string, unknown> {
	const shown = shownFor(scheme);
	const stored = credential.properties
		.filter(({ name }) => shown.includes(name))
		.map((property): [string, unknown] => [property.name, property.default]);
	return { ...Object.fromEntries(stored), scheme, signingSecret: SECRET };
}

async function runTest(data: unknown) {
	const decrypted = { id: '1', name: 'Test', type: credential.name, data };
	// The test only reads the form: it does not need n8n's helpers.
	return await testSigningSecret.call(
		{} as ICredentialTestFunctions,
		decrypted as ICredentialsDecrypted,
	);
}

describe('the form', () => {
	test('shows each scheme the fields that it needs', () => {
		const always = ['signingSecret', 'previousSigningSecret', 'scheme'];
		expect(shownFor('standardWebhooks')).toEqual(always);
		expect(shownFor('timestamped')).toEqual([...always, 'signatureHeader']);
		expect(shownFor('custom')).toEqual([
			...always,
			'signatureHeader',
			'algorithm',
			'encoding',
			'timestampHeader',
			'signedPayload',
			'signaturePrefix',
		]);
	});

	test('explains what the test cannot check, once there is a secret', () => {
		const notice = credential.properties.find(({ type }) => type === 'notice');
		const isShown = (signingSecret: string) =>
			notice && NodeHelpers.displayParameter({ signingSecret }, notice, null, null);
		expect([isShown(''), isShown(SECRET)]).toEqual([false, true]);
	});

	test('hides both secrets as passwords', () => {
		const hidden = credential.properties
			.filter(({ typeOptions }) => typeOptions?.['password'] === true)
			.map(({ name }) => name);
		expect(hidden).toEqual(['signingSecret', 'previousSigningSecret']);
	});

	test('is in order once the secret is filled in', () => {
		expect(checkSigningSettings(defaults())).toEqual([]);
	});

	test('has an icon for each theme, and they are there', () => {
		for (const file of Object.values(credential.icon)) {
			const path = join(__dirname, '../../../credentials', file.slice('file:'.length));
			expect(existsSync(path)).toBe(true);
		}
	});
});

describe('the credential test', () => {
	test('passes with settings in order', async () => {
		expect(await runTest(defaults())).toMatchObject({ status: 'OK' });
	});

	test('names every field to mend, and no secret', async () => {
		const result = await runTest({
			...defaults('custom'),
			signingSecret: `${SECRET} `,
			previousSigningSecret: `${SECRET} `,
		});
		expect(result.status).toBe('Error');
		expect(result.message).toContain("'Previous Signing Secret' is the same as 'Signing Secret'");
		expect(result.message).toContain('white space');
		expect(result.message).toContain("'Timestamp Header' is empty");
		expect(result.message).not.toContain(SECRET);
	});

	test('fails on an empty form', async () => {
		for (const data of [undefined, {}, { signingSecret: '' }]) {
			const result = await runTest(data);
			expect(result).toMatchObject({ status: 'Error' });
			expect(result.message).toContain("'Signing Secret' is empty");
		}
	});
});
