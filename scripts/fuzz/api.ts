/** Responses of a faulty or hostile service: tokens, lists and error texts. */
import { match, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { parseApiSettings } from '../../lib/service/credential';
import { pageOf } from '../../lib/service/envelope';
import { ApiError, Destination } from '../../lib/service/errors';
import { Redactor } from '../../lib/service/response';
import { createAccessTokens } from '../../lib/service/tokens';
import type { TransportResponse, Runtime } from '../../lib/service/transport';
import { counter, type Target } from './target';

export const API_SETTINGS = parseApiSettings({
	baseUrl: 'https://api.example.com',
	authUrl: 'https://auth.example.com',
	audience: 'https://api.example.com',
	clientId: 'the client',
	clientSecret: 'c1ient/secret+0123456789',
});
export const destination = new Destination(
	'https://api.example.com/a',
	'baseUrl',
	new Redactor(API_SETTINGS.clientSecret),
);
/** Does not wait; moves the clock forward instead. */
function runtimeWithoutWaits(): Runtime {
	let now = 0;
	return {
		now: () => now,
		random: () => 0.5,
		sleep: async (ms) => {
			now += ms;
		},
	};
}

/** A control character, or one that changes the direction of the text, would let a response forge lines. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

function expectReadable(error: unknown): void {
	ok(error instanceof ApiError, `not an ApiError: ${String(error)}`);
	for (const text of [error.message, error.hint]) {
		ok(!UNPRINTABLE.test(text), text);
		ok(!text.includes(API_SETTINGS.clientSecret), text);
		ok(text.length < 2_000, `a text of ${text.length} characters`);
	}
}

const texts = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.constantFrom(
		API_SETTINGS.clientSecret,
		encodeURIComponent(API_SETTINGS.clientSecret),
		`a ${API_SETTINGS.clientSecret} b`,
		'x'.repeat(5_000),
		'\u001b[31m\r\nforged line',
	),
);
const mostly = <T>(fitting: fc.Arbitrary<T>): fc.Arbitrary<T | string> =>
	fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: texts });
const tokens = fc.record(
	{
		access_token: mostly(fc.string({ unit: fc.constantFrom(...Array.from('aZ09-._~+/=')) })),
		token_type: mostly(fc.constantFrom('Bearer', 'bearer', 'mac')),
		expires_in: mostly(fc.oneof(fc.nat(), fc.double(), fc.constantFrom('3600', null, -1))),
		scope: mostly(fc.constantFrom('read:assets', null)),
	},
	{ requiredKeys: [] },
);
const errors = fc.dictionary(
	fc.constantFrom('message', 'error', 'error_description', 'errors', 'detail', 'title'),
	fc.oneof(texts, fc.array(texts, { maxLength: 3 }), fc.dictionary(texts, texts, { maxKeys: 2 })),
);
const bodies = fc.oneof(
	{ weight: 4, arbitrary: tokens.map((token) => JSON.stringify(token)) },
	errors.map((error) => JSON.stringify(error)),
	fc.json({ maxDepth: 3 }),
	texts,
);
const responses: fc.Arbitrary<TransportResponse> = fc.record({
	status: fc.oneof(
		{ weight: 3, arbitrary: fc.constant(200) },
		fc.constantFrom(201, 204, 301, 400, 401, 403, 404, 429, 503),
	),
	headers: fc.record(
		{
			'retry-after': fc.oneof(fc.nat(100_000).map(String), texts, fc.constant('9'.repeat(400))),
			location: texts,
			'content-type': fc.constantFrom('application/json', 'text/html'),
		},
		{ requiredKeys: [] },
	),
	body: bodies,
});

const asked = counter();
const tokenAnswers = fc.asyncProperty(responses, async (response) => {
	const runtime = runtimeWithoutWaits();
	try {
		const token = await createAccessTokens({ runtime }).renew(API_SETTINGS, async () => response);
		asked.count('tokens');
		const sent = JSON.parse(response.body) as Record<string, unknown>;
		strictEqual(token.accessToken, sent['access_token']);
		match(token.accessToken, /^[\x21-\x7e]+$/);
		match(String(sent['token_type']), /^bearer$/i);
		ok(Number(sent['expires_in']) > 0);
		ok(token.renewAt <= token.expiresAt);
	} catch (error) {
		asked.count('errors');
		expectReadable(error);
	}
	ok(runtime.now() <= 60_000, `waited ${runtime.now()} ms`);
});

const records = fc.array(fc.oneof(fc.record({ id: texts }), fc.jsonValue()), { maxLength: 4 });
const more = fc.oneof(fc.boolean(), fc.constantFrom('true', 'FALSE', null, 0, 'maybe'));
const envelopes = fc.oneof(
	records,
	fc.constant(null),
	fc.record(
		{ data: fc.oneof(records, fc.record({ items: records, hasMore: more })), hasMore: more },
		{ requiredKeys: [] },
	),
	fc.record({ items: fc.oneof(records, fc.constant(null)), has_more: more }, { requiredKeys: [] }),
	fc.dictionary(fc.constantFrom('data', 'items', '__proto__', 'results'), fc.jsonValue()),
	fc.jsonValue(),
);
const paths = fc.constantFrom(
	'',
	'data',
	'data, items',
	'data.items',
	'results',
	'__proto__',
	'a..b',
);

/** Every list in the response, at any depth: a page must be one of them, or empty for null. */
function listsIn(value: unknown, depth = 3): unknown[][] {
	if (Array.isArray(value)) return [value];
	if (typeof value !== 'object' || value === null || depth === 0) return [];
	return Object.values(value).flatMap((inner) => listsIn(inner, depth - 1));
}

const read = counter();
const pages = fc.property(
	envelopes,
	paths,
	paths,
	paths,
	(answer, itemsPath, hasMorePath, nextCursorPath) => {
		try {
			const page = pageOf(answer, { itemsPath, hasMorePath, nextCursorPath }, destination);
			read.count('pages');
			const isSame = (list: unknown[]) =>
				list.length === page.items.length && list.every((item, n) => item === page.items[n]);
			ok(page.items.length === 0 || listsIn(answer).some(isSame));
			ok(page.cursor === undefined || page.cursor === null || typeof page.cursor === 'string');
			ok(page.hasMore === undefined || typeof page.hasMore === 'boolean');
		} catch (error) {
			read.count('errors');
			expectReadable(error);
		}
	},
);

export const apiTargets: readonly Target[] = [
	{ name: 'token answers', property: tokenAnswers, reached: asked.reached },
	{ name: 'list envelopes', property: pages, reached: read.reached },
];
