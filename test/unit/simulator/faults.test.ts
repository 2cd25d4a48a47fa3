import type { Fault } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { ASSETS, setUp } from './world';

const DATE = 'Wed, 21 Oct 2099 07:28:00 GMT';
const items = generateAssets(2);
const data = { hasMore: true, items };

describe('a fault', () => {
	it.each<[string, Partial<Fault>, string[]]>([
		['responds so the given number of times', { status: 503, times: 2 }, ['503', '503', '200']],
		['goes on until it is cleared', { status: 500 }, ['500', '500', '500', '500']],
		['spares another method', { method: 'post', status: 500 }, ['200']],
		['hits its method', { method: 'get', status: 500 }, ['500']],
		['spares another path', { path: ASSETS.slice(0, -1), status: 500 }, ['200']],
		['hits an expression', { path: /\/assets$/g, status: 502 }, ['502', '502']],
		['spares first pages', { queryParameter: 'startingAfter', status: 400 }, ['200']],
		['hits its query parameter', { queryParameter: 'limit', status: 400 }, ['400']],
		['asks to wait for seconds', { retryAfter: 7 }, ['429 7']],
		['asks to wait for a date', { retryAfter: DATE, status: 503 }, [`503 ${DATE}`]],
		['resets', { reset: true, times: 1 }, ['0 ECONNRESET', '200']],
		['resets in the body', { reset: 'midBody', times: 1 }, ['0 ECONNRESET', '200']],
		['responds with malformed JSON', { body: '{"data":[', times: 1 }, ['200 SyntaxError', '200']],
	])('%s: %j', async (_what, fault, expected) => {
		const { simulator, call } = await setUp();
		simulator.faults.add({ path: ASSETS, ...fault });
		const outcome = async () => {
			try {
				const { status, headers } = await call(`${ASSETS}?limit=1`);
				return `${status} ${headers.get('retry-after') ?? ''}`.trim();
			} catch (error) {
				const { cause, name } = error as Error & { cause?: { code: string } };
				return `${simulator.stats.requests.at(-1)?.status} ${cause?.code ?? name}`;
			}
		};
		for (const each of expected) expect(await outcome()).toBe(each);
		simulator.faults.clear();
		expect(await outcome()).toBe('200');
	});

	it.each<[string, Partial<Fault>, string, object]>([
		['gives any body', { body: { items: [] } }, '', { items: [] }],
		['ignores the cursor', { ignoreCursor: true }, `&startingAfter=${items[1]?.id}`, { data }],
		['ignores filters', { ignoreFilters: true }, '&firmwareVersion=none', { data }],
		['leaves out fields', { omitFields: ['hasMore'] }, '', { data: { items } }],
		['delays the real response', { delayMs: 80 }, '', { data }],
	])('%s', async (_what, fault, query, body) => {
		const { simulator, authorize, call } = await setUp();
		const headers = await authorize();
		simulator.faults.add({ path: ASSETS, ...fault });
		const start = performance.now();
		const answer = await call(`${ASSETS}?limit=2${query}`, { headers });
		expect([answer.status, answer.body]).toEqual([200, body]);
		// Timers may be a little early by this clock.
		expect(performance.now() - start).toBeGreaterThan((fault.delayMs ?? 10) - 10);
	});

	it('gives way to the next one once its times are over, on the token route, too', async () => {
		const { simulator, askToken } = await setUp();
		simulator.faults.add({ path: '/oauth/token', status: 500, times: 1 });
		simulator.faults.add({ path: '/oauth/token', status: 502, times: 1 });
		for (const status of [500, 502, 200]) expect((await askToken()).status).toBe(status);
		expect(simulator.stats.tokenRequests).toBe(3);
	});

	it('can revoke the token of a request', async () => {
		const { simulator, authorize, call } = await setUp();
		const other = { headers: await authorize() };
		simulator.faults.add({ path: ASSETS, revokeToken: true, times: 1 });
		for (const status of [401, 401]) expect((await call(ASSETS)).status).toBe(status);
		expect((await call(ASSETS, other)).status).toBe(200);
	});
});
