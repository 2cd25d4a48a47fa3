import { checkConnection, undiciTransport } from '../../../lib/service';
import type { Answer } from '../../support/httpService';
import { SECRET, startWorld, stopWorlds } from './world';

afterEach(stopWorlds);

const check = async (options: { token?: Answer; api?: Answer; change?: object }) => {
	const world = await startWorld({
		api: () => options.api ?? { body: { data: { items: [], hasMore: false } } },
		...(options.token && { token: () => options.token }),
	});
	const result = await checkConnection(
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
		expect(await checkConnection(world.settings, undiciTransport({ env: {} }))).toEqual({
			ok: true,
		});
		expect(world.tokensAskedFor()).toBe(2);
		expect(world.service.to('/asset-management/v1/assets')[0]?.query).toEqual({ limit: '1' });
	});

	it.each([
		['an empty field', { change: { audience: '' } }, /^Audience is empty\./],
		['a wrong Base URL', { change: { baseUrl: 'http://127.0.0.1:1' } }, /\(Base URL\)/],
		['something else at Base URL', { api: { body: '<html>' } }, /^Base URL is probably not/],
		['a wrong Auth URL', { change: { authUrl: 'http://127.0.0.1:1' } }, /\(Auth URL\)/],
		['something else at Auth URL', { token: { status: 404 } }, /^Auth URL is probably not/],
		[
			'a rejected client',
			{ token: { status: 401 } },
			/rejected the Client ID or the Client Secret/,
		],
		['a wrong audience at the token route', { token: { status: 403 } }, /Audience “https/],
		['a wrong audience at the API', { api: { status: 401 } }, /^Audience is probably wrong/],
		['a lacking scope', { api: { status: 403 } }, /is not allowed to list assets.*lacks the scope/],
	])('tells of %s', async (_name, options, words) => {
		const { result } = await check(options);
		expect(result).toEqual({ ok: false, message: expect.stringMatching(words) as string });
		// Its reader looks at the form of the credential.
		expect(JSON.stringify(result)).not.toContain('Asset Service API credential');
	});
});
