/** Long runs of one character, or of two alternating ones, for all code that reads text from outside: it must take linear time. */
import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { createdAt, eventTypeFilter, Fields, parseEvent, readConditions } from '../../lib/event';
import { createdAtOf, parseApiSettings, withoutSecret } from '../../lib/service';
import { networkOf } from '../../lib/service/credential';
import { pageOf } from '../../lib/service/envelope';
import { proxyFor } from '../../lib/service/network';
import { Redactor, jsonOf, readBoundedBody } from '../../lib/service/response';
import { pathWith } from '../../lib/service/sender';
import { createAccessTokens } from '../../lib/service/tokens';
import { withRetries } from '../../lib/service/transport';
import { messageOf } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { asNumber, asText, asTexts } from '../../lib/shared/values';
import { createVerifier } from '../../lib/signature';
import { withoutSecrets } from '../../nodes/AssetService/resources/webhookEndpoint';
import { endpointIdIn } from '../../nodes/AssetService/shared/ids';
import { API_SETTINGS, destination } from './api';
import { custom, standardWebhooks, timestamped, TOLERANCE } from './signature';
import { counter, type Target } from './target';

type Reader = (text: string) => unknown;

const condition = (operator: string, value: string) =>
	readConditions({ condition: [{ field: 'a.b', operator, value }] });
const conditionReaders = Object.fromEntries(
	['equals', 'contains', 'startsWith', 'greaterThan', 'lessThan'].map((operator) => {
		const { unmet } = condition(operator, '1');
		return [`${operator} of an event`, (text: string) => unmet({ a: [{ b: text }] })];
	}),
);
const options = { nowSeconds: 0, toleranceSeconds: TOLERANCE };
const headerReaders = Object.fromEntries(
	[timestamped, standardWebhooks, custom].flatMap(({ name, settings, sign }) => {
		const made = createVerifier(settings);
		if (!made.ok) throw new Error(made.problems.join(' '));
		const signed = sign('a key', '0', Buffer.from('{}'));
		return Object.keys(signed).map((header): [string, Reader] => [
			`${header} of ${name}`,
			(text) => made.verifier.verify({ ...signed, [header]: text }, Buffer.from('{}'), options),
		]);
	}),
);
const response = (body: string, status = 400) => ({ status, headers: {}, body });
const { redactor } = destination;
const BY_SHAPE = { itemsPath: '', hasMorePath: '', nextCursorPath: '' };
const token = (body: string, status = 200) =>
	createAccessTokens()
		.renew(API_SETTINGS, async () => response(body, status))
		.catch(() => undefined);
const bodyOf = async function* (text: string) {
	yield Buffer.from(text);
};
const giveUp = { maxRetries: 0, totalMs: 1, baseDelayMs: 1 };
const retryAfter = (text: string) =>
	withRetries(async () => ({ ...response('', 503), headers: { 'retry-after': text } }), {
		retries: giveUp,
	})({ method: 'GET', url: '', headers: {} });
const wanted = eventTypeFilter(['*a*1*', 'a*b', '*x']);
const ignoringErrors =
	(read: Reader): Reader =>
	(text) => {
		try {
			return read(text);
		} catch {
			return undefined;
		}
	};

const READERS: Readonly<Record<string, Reader>> = {
	...conditionReaders,
	...headerReaders,
	'value of a condition': (text) => condition('greaterThan', text).unmet({ a: { b: text } }),
	'path of a condition': (text) =>
		readConditions({ condition: [{ field: text, operator: 'exists' }] }).unmet({}),
	'field of an event': (text) => {
		const fields = new Fields();
		fields.add({ [text]: text, nested: { list: [{ [text]: text }] } });
		return [fields.like(text), fields.like(`nested.list.${text}`), fields.withValues];
	},
	'event type': (text) => wanted(text),
	'body of a delivery': (text) => parseEvent(Buffer.from(text)),
	'time of an event': (text) => createdAt({ record: { createdAt: text } }),
	'time of a record': (text) => createdAtOf({ createdAt: text }),
	'signature prefix': (text) => createVerifier({ ...custom.settings, signaturePrefix: text }),
	'signed payload': (text) => createVerifier({ ...custom.settings, signedPayload: text }),
	'signing secret': (text) => createVerifier({ ...standardWebhooks.settings, signingSecret: text }),
	'body of an answer': (text) => jsonOf(response(text)),
	'ID in an answer': (text) => jsonOf(response(`{"id":${text}`)),
	'text of an error': (text) => redactor.statusAndReason(response(text)),
	'message of an error': (text) =>
		redactor.statusAndReason(response(JSON.stringify({ e: text, message: text }))),
	'structure of an answer': (text) => readBoundedBody(bodyOf(text), {}),
	'keys of an answer': (text) => pageOf({ [text]: 1 }, BY_SHAPE, destination),
	'hasMore of an answer': (text) => pageOf({ items: [], hasMore: text }, BY_SHAPE, destination),
	'path to the items': (text) => pageOf({}, { ...BY_SHAPE, itemsPath: text }, destination),
	'target of a redirect': (text) =>
		destination.redirect({ ...response('', 302), headers: { location: text } }),
	'retry-after': (text) => retryAfter(text),
	'date of retry-after': (text) => retryAfter(`Mon, ${text}`),
	'answer of the token route': (text) => token(text),
	'refusal of the token route': (text) =>
		token(JSON.stringify({ error: text, message: text }), 403),
	'fields of a token': (text) =>
		token(JSON.stringify({ access_token: text, token_type: 'bearer', expires_in: text })),
	'text with secrets': (text) => redactor.redact(text),
	'secret to redact': (text) => new Redactor(text).redact(text),
	'record with a secret': (text) => withoutSecret({ [text]: text }, 'a secret of some length'),
	'record of unknown fields': (text) =>
		withoutSecrets({ record: { [text]: text, status: text } }, {}),
	'line of a log': (text) => printable(text),
	'thrown text': (text) => messageOf(new Error(text)),
	'base URL': (text) => parseApiSettings({ ...API_SETTINGS, baseUrl: `https://a.example/${text}` }),
	'auth URL': (text) => parseApiSettings({ ...API_SETTINGS, authUrl: text }),
	'path of the interface': (text) =>
		parseApiSettings({
			...API_SETTINGS,
			serviceInterface: { endpointsPath: text, pageSize: text },
		}),
	'allowed domains': (text) =>
		parseApiSettings({
			...API_SETTINGS,
			...{ allowedHttpRequestDomains: 'domains', allowedDomains: text },
		}),
	'host name': (text) => networkOf(text),
	'ID in a path': (text) => pathWith('/a/{endpointId}/b', { endpointId: text }),
	'address of an endpoint': (text) => endpointIdIn(`https://a.example/${text}`),
	'exempt hosts': (text) => proxyFor(new URL('https://a.example'), { NO_PROXY: text }),
	'parameter of a node': (text) => [asText(text), asTexts(text), asNumber(text, 0, 0, 1)],
};

const SHORT = 2_000;
const GROWTH = 8;
/** CPU milliseconds that linear time stays far below, even with a long text. */
const FLOOR = 40;
/** Factor over linear time that a busy machine may add; quadratic time is a factor of 8. */
const SLACK = 4;

/** The lowest CPU time of several runs, in milliseconds, without other processes. */
async function cost(read: Reader, text: string, runs: number): Promise<number> {
	let least = Infinity;
	for (let run = 0; run < runs; run++) {
		const before = process.cpuUsage();
		await read(text);
		const { user, system } = process.cpuUsage(before);
		least = Math.min(least, (user + system) / 1000);
	}
	return least;
}

const characters = fc.oneof(
	{ weight: 2, arbitrary: fc.constantFrom(...Array.from('019aeEITxZ')) },
	{ weight: 2, arbitrary: fc.constantFrom(...Array.from(' \t\n.,:;/\\"\'+-=*_{}[]()<>@#?&%')) },
	{
		weight: 1,
		arbitrary: fc.constantFrom('\0', '\u00e9', '\u0130', '\u2028', '\ud800', '\u{1f50c}'),
	},
);
const units = fc.oneof(
	{ weight: 3, arbitrary: characters },
	{ weight: 2, arbitrary: fc.tuple(characters, characters).map((two) => two.join('')) },
	{
		weight: 1,
		arbitrary: fc.constantFrom('"id":', '"id" ', 'v1=', 't=1,', 'v1,', '../', '%2e', '[[{'),
	},
);
const ends = fc.constantFrom('', '', 'x', '!', '1', ' ', '"', '-2026-01-01T');
const { reached, count } = counter();

const growing = fc.asyncProperty(
	fc.constantFrom(...Object.keys(READERS)),
	units,
	ends,
	ends,
	async (name, unit, start, end) => {
		const reader = READERS[name];
		ok(reader);
		const read = ignoringErrors(reader);
		const text = (length: number) => start + unit.repeat(Math.ceil(length / unit.length)) + end;
		const long = text(SHORT * GROWTH);
		if ((await cost(read, long, 1)) < FLOOR) {
			count('quick');
			return;
		}
		const [least, most] = [await cost(read, text(SHORT), 3), await cost(read, long, 3)];
		count('slow');
		ok(
			most < FLOOR || most < least * GROWTH * SLACK,
			`${name}: ${least} ms for ${SHORT} characters, ${most} ms for ${GROWTH} times as many`,
		);
	},
);

export const growthTarget: Target = { name: 'long runs of characters', property: growing, reached };
