import { testCredential, undiciTransport, type Transport } from '../../../lib/service';
import type { Answer } from '../../support/httpService';
import { good } from './entered';
import { SECRET, startWorld, stopWorlds } from './world';

afterEach(stopWorlds);

const check = async (options: { token?: Answer; api?: Answer; change?: object }) => {
	const world = await startWorld({
		api: () => options.api ?? { body: { data: { items: [], hasMore: false } } },
		...(options.token && { token: () => options.token }),
	});
	const result = await testCredential(
		{ ...world.settings, ...options.change },
		undiciTransport({ env: {} }),
	);
	expect(JSON.stringify(result)).not.toContain(SECRET);
	return { world, result };
};

describe('the test of the credential', () => {
	it('is passed with a new token each time and one asset', async () => {
		const { world, result } = await check({});
		expect(result).toEqual({ ok: true });
		expect(await testCredential(world.settings, undiciTransport({ env: {} }))).toEqual({
			ok: true,
		});
		expect(world.tokensAskedFor()).toBe(2);
		expect(world.service.to('/asset-management/v1/assets')[0]?.query).toEqual({ limit: '1' });
	});

	it('is passed with a warning where the addresses are plain http beyond this machine', async () => {
		const world = await startWorld({ api: () => ({ body: [] }) });
		const direct = undiciTransport({ env: {} });
		const { baseUrl } = world.settings;
		const settings = { ...world.settings, baseUrl: 'http://asset-service' };
		const result = await testCredential(settings, (request) =>
			direct({ ...request, url: request.url.replace('http://asset-service', baseUrl) }),
		);
		expect(result).toEqual({
			ok: true,
			warning: expect.stringContaining("'Base URL' (http://asset-service) is plain http") as string,
		});
	});

	it.each([undefined, null, '', ' '])(
		'is passed with a warning where the scope is %j',
		async (scope) => {
			const body = { access_token: 't', token_type: 'Bearer', expires_in: 60, scope };
			const { world, result } = await check({ token: { body } });
			expect(result).toEqual({
				ok: true,
				warning: expect.stringContaining('The token response has no scope') as string,
			});
			expect(world.tokensAskedFor()).toBe(1);
		},
	);

	it.each([
		['an empty field', { change: { audience: '' } }, /^'Audience' is empty\./],
		[
			'a web page at Base URL',
			{ api: { body: '<html>', headers: { 'content-type': 'text/html; charset=utf-8' } } },
			/ responded with a web page instead of JSON\. Check 'Base URL'/,
		],
		[
			'a wrong audience at the API',
			{ api: { status: 401 } },
			/^'Audience' is probably wrong.* check that the API client is not disabled\.$/,
		],
		[
			'a reason that is a sentence, with one period',
			{ api: { status: 403, body: { message: 'Ask the owner.' } } },
			/: Ask the owner\. The API client probably lacks the scope to list assets \(its token has: assets:read\)\. /,
		],
	])('tells of %s', async (_name, options, words) => {
		const { result } = await check(options);
		expect(result).toEqual({ ok: false, message: expect.stringMatching(words) as string });
		// Its reader looks at the form of the credential.
		expect(JSON.stringify(result)).not.toContain('Asset Service API credential');
	});

	describe('with a service that does not answer', () => {
		beforeEach(() => {
			jest.useFakeTimers();
		});
		afterEach(() => {
			jest.useRealTimers();
		});

		const token = { access_token: 't', token_type: 'Bearer', expires_in: 60, scope: '' };

		it.each<[string, (url: string) => number, string]>([
			['the token route is silent', () => Infinity, "('Auth URL')"],
			['the API is silent', (url) => (url.endsWith('/token') ? 0 : Infinity), "('Base URL')"],
			['both are slow', () => 9000, "('Base URL')"],
		])('ends within 15 s when %s', async (_name, delayOf, words) => {
			const transport: Transport = ({ url, signal }) =>
				new Promise((resolve, reject) => {
					const delay = delayOf(url);
					if (delay < Infinity) {
						const body = JSON.stringify(token);
						setTimeout(() => {
							resolve({ status: 200, headers: {}, body });
						}, delay);
					}
					signal?.addEventListener('abort', () => {
						reject(signal.reason as Error);
					});
				});
			const ended = jest.fn();
			const result = testCredential(good, transport);
			void result.then(ended);
			await jest.advanceTimersByTimeAsync(13_000);
			expect(ended).not.toHaveBeenCalled();
			await jest.advanceTimersByTimeAsync(2000);
			expect(ended).toHaveBeenCalled();
			expect(await result).toEqual({
				ok: false,
				message: expect.stringContaining(words) as string,
			});
		});
	});
});
