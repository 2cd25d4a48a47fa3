/** For each reason and cause of a rejection: what the log says, and that its advice names no field that is not the cause. */
import { LedgerUnavailableError } from '../../../lib/ledger';
import { REASONS } from '../../../lib/receiver/reasons';
import { busy, type NoStart, receive, readTriggerSettings } from '../../../lib/receiver/receive';
import { createVerifierCache } from '../../../lib/receiver/verify';
import type { SigningSettings } from '../../../lib/signature';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';

const SECRET = 'the signing secret';
const NOW = 1_767_225_600;
const EVENT = '{"id":"whevt_1"}';
const DEEP = `{"id":"whevt_1","data":${'['.repeat(500)}${']'.repeat(500)}}`;
const WIDE = `{"id":"whevt_1","data":[${'0,'.repeat(40_000)}0]}`;
const LONG_ID = `{"id":"${'x'.repeat(1_025)}"}`;

interface Rejected {
	readonly settings?: SigningSettings;
	/** The node has registered its endpoint. */
	readonly isRegistered?: boolean;
	readonly parameters?: Readonly<Record<string, unknown>>;
	/** Undefined for one that n8n could not read. */
	readonly body?: string | undefined;
	readonly signature?: string | readonly string[];
	readonly contentType?: string;
	readonly ledger?: Parameters<typeof receive>[1]['openLedger'];
}

async function rejected(given: Rejected): Promise<NonNullable<NoStart['log']>> {
	const { settings = { signingSecret: SECRET }, parameters = {} } = given;
	const body = 'body' in given ? given.body : EVENT;
	const { signature = signTimestamped(SECRET, NOW, body ?? '') } = given;
	const verdict = await receive(
		{
			headers: {
				...(signature !== '' && { 'x-webhook-signature': signature }),
				'content-type': given.contentType ?? 'application/json',
			},
			body: body === undefined ? undefined : Buffer.from(body),
		},
		{
			verifiers: createVerifierCache(),
			secrets: {
				...{ key: 'key', read: async () => ({ settings }) },
				...(given.isRegistered === true && { notConfigured: 'no signing secret yet' }),
				refusalOf: () => ({ ok: false, reason: 'not_configured' }),
			},
			openLedger: given.ledger ?? (() => Promise.reject(new Error('never asked'))),
			...{ workflowId: 'workflow', isEarly: true, now: () => new Date(NOW * 1000) },
			settings: readTriggerSettings((name, fallback) => parameters[name] ?? fallback),
		},
	);
	if (verdict.start || verdict.log === undefined) throw new Error('The delivery was not rejected');
	return verdict.log;
}

/** The labels of the fields that a text names. */
const fieldsIn = (text: string) => [...text.matchAll(/'([A-Z][^']*)'/g)].map(([, field]) => field);

const condition = (operator: string, value: string) => ({
	conditions: { condition: [{ field: 'data.a', operator, value }] },
});
const CUSTOM = { signingSecret: SECRET, scheme: 'custom', timestampHeader: 'x-at' };
const STANDARD = {
	signingSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
	scheme: 'standardWebhooks',
};
const FORGED = signTimestamped('another secret', NOW, EVENT);
const registered = { isRegistered: true };

type Row = readonly [
	reason: string,
	rejected: Rejected,
	words: string,
	/** The fields of the node and of its credential that the cause is in. */
	fields: readonly string[],
];

const ROWS: readonly Row[] = [
	['signature_missing', { signature: '' }, 'uses another header', ['Signature Header']],
	['signature_missing', { signature: '', settings: STANDARD }, 'in another way', ['Scheme']],
	['signature_missing', { ...registered, signature: '' }, 'of the trigger', ['Signature Header']],
	['signature_malformed', { signature: 'x' }, 'a proxy that changes headers', ['Scheme']],
	['signature_malformed', { ...registered, signature: 'x' }, 'of the trigger', ['Scheme']],
	['signature_mismatch', { signature: FORGED }, 'the signing secret of this endpoint', []],
	['signature_mismatch', { ...registered, signature: FORGED }, 'delete other endpoints', []],
	[
		'signature_mismatch',
		{ settings: { signingSecret: `${SECRET} ` } },
		'starts or ends with white space',
		['Signing Secret'],
	],
	[
		'timestamp_outside_tolerance',
		{ signature: signTimestamped(SECRET, NOW - 412, EVENT) },
		"412 seconds behind n8n's clock, and at most 300 are allowed",
		[],
	],
	[
		'timestamp_outside_tolerance',
		{
			signature: signTimestamped(SECRET, NOW + 61, EVENT),
			parameters: { options: { toleranceSeconds: 60 } },
		},
		"61 seconds ahead of n8n's clock, and at most 60 are allowed",
		[],
	],
	['event_invalid', { body: '' }, 'the body is empty: ask the provider', []],
	['event_invalid', { body: '{"id"' }, 'the body is not JSON in UTF-8', []],
	['event_invalid', { body: '[1]' }, 'the body is not a JSON object', []],
	['event_invalid', { body: '{"id":""}' }, "it has no 'id'", []],
	['event_invalid', { body: '{"id":1e300}' }, 'whole number up to 9007199254740991', []],
	['event_too_large', { body: DEEP }, 'it is nested more than 500 levels deep: ask', []],
	['event_too_large', { body: WIDE }, 'it has more than 40,000 values', []],
	['event_too_large', { body: LONG_ID }, "its 'id' is longer than 1024 characters", []],
	['event_invalid', { body: '{"id":"\\ud800"}' }, "its 'id' is not valid Unicode", []],
	['event_invalid', { body: undefined }, 'n8n could not read the body', []],
	[
		'event_invalid',
		{ body: undefined, contentType: 'multipart/form-data; boundary=x' },
		'the body is multipart/form-data',
		[],
	],
	['not_configured', { settings: { signingSecret: '' } }, 'is empty', ['Signing Secret']],
	['not_configured', { ...registered, settings: {} }, 'no signing secret yet', []],
	[
		'not_configured',
		{ settings: { ...CUSTOM, signedPayload: 'x' } },
		'does not contain {body}',
		['Signed Payload'],
	],
	[
		'not_configured',
		{ parameters: condition('greaterThan', 'abc') },
		"Condition 1: 'abc' is not a number",
		['Conditions'],
	],
	[
		'ledger_unavailable',
		{ ledger: () => Promise.reject(new LedgerUnavailableError('Set REDIS to the host.')) },
		'Set REDIS to the host.',
		[],
	],
	['ledger_unavailable', {}, 'can be reached and written', []],
];

it.each(ROWS)('%s: %j', async (reason, given, words, fields) => {
	const log = await rejected(given);
	expect(log.reason).toBe(reason);
	expect(log.detail).toContain(words);
	expect(fieldsIn(log.detail)).toEqual(fields);
});

it('busy names no field', () => {
	expect(busy.log?.detail).toContain('the service delivers the event again');
	expect(fieldsIn(busy.log?.detail ?? '')).toEqual([]);
});

it('covers every reason', () => {
	const covered = [...ROWS.map(([reason]) => reason), 'busy', 'ignored'];
	expect([...new Set(covered)].sort()).toEqual(Object.keys(REASONS).sort());
});
