import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialsDecrypted, ICredentialTestFunctions, IDataObject } from 'n8n-workflow';
import { AssetServiceSigningSecretApi } from '../../../credentials/AssetServiceSigningSecretApi.credentials';
import { checkSigningSettings, createVerifier, type DeliveryHeaders } from '../../../lib/signature';
import { testSigningSecret } from '../../../n8n/api/credentials';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { demandedBy, shownBy, storedBy } from './form';

const credential = new AssetServiceSigningSecretApi();
const SECRET = 'whsec_a-secret-nobody-may-see';

/** The data that n8n stores if a user enters only the secret. */
const defaults = (entered: IDataObject = {}) =>
	storedBy(credential, { signingSecret: SECRET, ...entered });

async function runTest(data: unknown) {
	const decrypted = { id: '1', name: 'Test', type: credential.name, data };
	// The test only reads the form: it does not need n8n's helpers.
	return await testSigningSecret.call(
		{} as ICredentialTestFunctions,
		decrypted as ICredentialsDecrypted,
	);
}

describe('the form', () => {
	const CUSTOM = ['algorithm', 'encoding', 'timestampHeader', 'signedPayload', 'signaturePrefix'];
	test.each<[string, string[], string[]]>([
		['standardWebhooks', [], []],
		['timestamped', ['signatureHeader'], ['signatureHeader']],
		['custom', ['signatureHeader', ...CUSTOM], ['signatureHeader', 'signedPayload']],
	])(
		'shows the fields that the scheme %s needs, and demands the secret and what has no use if empty',
		(scheme, fields, demanded) => {
			const always = ['signingSecret', 'previousSigningSecret', 'scheme'];
			expect(shownBy(credential, { scheme })).toEqual([...always, ...fields]);
			const empty = { signatureHeader: '', signedPayload: '' };
			expect(demandedBy(credential, { scheme, ...empty })).toEqual(['signingSecret', ...demanded]);
			expect(demandedBy(credential, { scheme, signingSecret: SECRET })).toEqual([]);
		},
	);

	test('explains what the test cannot check, once there is a secret', () => {
		const isExplained = (signingSecret: string) =>
			shownBy(credential, { signingSecret }).includes('formatNotice');
		expect([isExplained(''), isExplained(SECRET)]).toEqual([false, true]);
	});

	test('hides both secrets as passwords', () => {
		const hidden = credential.properties
			.filter(({ typeOptions }) => typeOptions?.['password'] === true)
			.map(({ name }) => name);
		expect(hidden).toEqual(['signingSecret', 'previousSigningSecret']);
	});

	test('adds no second secret by itself', () => {
		expect(defaults()).toMatchObject({ signingSecret: SECRET, previousSigningSecret: '' });
	});

	test('is in order once the secret is filled in', () => {
		expect(checkSigningSettings(defaults())).toEqual([]);
	});

	const SIGNED_AT = 1_700_000_000;
	const timestamped = signTimestamped(SECRET, SIGNED_AT, '{}');

	test.each<[string, IDataObject, DeliveryHeaders]>([
		['as the service signs', {}, { 'x-webhook-signature': timestamped }],
		[
			'by a custom scheme whose only setting is the header of the time',
			{ scheme: 'custom', timestampHeader: 'X-Time' },
			{
				'x-webhook-signature': timestamped.replace(/.*v1=/, ''),
				'x-time': String(SIGNED_AT),
			},
		],
	])('with its defaults verifies a delivery signed %s', (_how, entered, headers) => {
		const made = createVerifier(defaults(entered));
		if (!made.ok) throw new Error(made.problems.join());
		const options = { nowSeconds: SIGNED_AT, toleranceSeconds: 0 };
		expect(made.verifier.verify(headers, Buffer.from('{}'), options)).toMatchObject({ ok: true });
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

	test('names every field to correct, and no secret', async () => {
		const result = await runTest({
			...defaults({ scheme: 'custom' }),
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
