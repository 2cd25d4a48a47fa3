import { undiciTransport } from '../../../lib/service';
import { USER_AGENT } from '../../../lib/service/defaults';
import { createAccessTokens } from '../../../lib/service/tokens';
import { isRecord } from '../../../lib/shared/values';
import { gate } from '../../support/wait';
import { fakeRuntime, rejection, SECRET, startWorld, stopWorlds, type WorldOptions } from './world';

afterEach(stopWorlds);

const transport = undiciTransport({ env: {} });

const tokenAnswer = (token: string) => ({
	body: { access_token: token, token_type: 'bearer', expires_in: 60 },
});

/** A service, the tokens of a process on a clock of the test, and how a caller gets and drops one. */
async function setUp(options: WorldOptions & { readonly maxTokens?: number } = {}) {
	const world = await startWorld(options);
	const runtime = fakeRuntime();
	const tokens = createAccessTokens({ ...options, runtime });
	const get = (change: object = {}, signal?: AbortSignal) =>
		tokens.get({ ...world.settings, ...change }, transport, signal);
	const drop = (token: string) => tokens.drop(world.settings, token);
	const refuse = async () => drop((await get()).accessToken);
	return { world, runtime, tokens, get, drop, refuse };
}

describe('the access tokens of a process', () => {
	it('ask exactly as the specification says', async () => {
		const { world, get } = await setUp();
		await get();
		const [request] = world.service.to('/oauth/token');
		expect(request).toMatchObject({
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json',
				'user-agent': USER_AGENT,
			},
		});
		expect(request?.headers.authorization).toBeUndefined();
		expect(JSON.parse(request?.body ?? '')).toEqual({
			client_id: world.settings.clientId,
			client_secret: SECRET,
			audience: world.settings.audience,
			grant_type: 'client_credentials',
		});
	});

	it.each([
		[3600, 3540],
		[600, 540],
		[100, 90],
		[1, 0.9],
	])('use a token of %d s for %d s', async (expiresIn, usable) => {
		const { world, runtime, get } = await setUp({ expiresIn });
		await get();
		runtime.pass(usable * 1000 - 1);
		await get();
		expect(world.tokensAskedFor()).toBe(1);
		runtime.pass(1);
		await get();
		expect(world.tokensAskedFor()).toBe(2);
	});

	it.each(['authUrl', 'clientId', 'clientSecret', 'audience'] as const)(
		'distinguish API clients by %s',
		async (field) => {
			const { world, get } = await setUp();
			await get();
			const changed = field === 'authUrl' ? `http://localhost:${world.service.port}` : 'other';
			await get({ [field]: changed });
			expect(world.tokensAskedFor()).toBe(2);
		},
	);

	it('do not tell apart by base URL, which has nothing to do with a token', async () => {
		const { world, get } = await setUp();
		await get();
		await get({ baseUrl: 'https://elsewhere.example' });
		expect(world.tokensAskedFor()).toBe(1);
	});

	it('forget a token that was dropped, but not a newer one', async () => {
		const { world, get, drop } = await setUp();
		expect(drop('unknown')).toBe(true);
		const first = await get();
		drop(first.accessToken);
		const second = await get();
		expect(drop(first.accessToken)).toBe(true);
		expect(await get()).toBe(second);
		expect(world.tokensAskedFor()).toBe(2);
	});

	it('fetch no further token for a minute after the renewed one is also rejected', async () => {
		const { world, runtime, refuse } = await setUp({ expiresIn: 65 });
		expect([await refuse(), await refuse(), await refuse()]).toEqual([true, false, false]);
		expect(world.tokensAskedFor()).toBe(2);
		// Not even when it would have been renewed because of its age.
		runtime.pass(59_999);
		expect(await refuse()).toBe(false);
		expect(world.tokensAskedFor()).toBe(2);
		runtime.pass(1);
		expect([await refuse(), await refuse()]).toEqual([false, false]);
		expect(world.tokensAskedFor()).toBe(3);
	});

	it('use a token that was refused like the one before it until it expires and no longer', async () => {
		const { world, runtime, refuse } = await setUp({ expiresIn: 30 });
		expect([await refuse(), await refuse()]).toEqual([true, false]);
		runtime.pass(29_999);
		expect(await refuse()).toBe(false);
		expect(world.tokensAskedFor()).toBe(2);
		runtime.pass(1);
		expect(await refuse()).toBe(false);
		expect(world.tokensAskedFor()).toBe(3);
	});

	it('fetch another one at once when the renewed one has worked for a minute before it is refused', async () => {
		const { world, runtime, get, drop, refuse } = await setUp();
		await refuse();
		const renewed = await get();
		runtime.pass(60_000);
		expect(drop(renewed.accessToken)).toBe(true);
		await get();
		expect(world.tokensAskedFor()).toBe(3);
	});

	it('fetch a new token on demand, and use it from then on', async () => {
		const { world, tokens, get } = await setUp();
		await get();
		const renewed = await tokens.renew(world.settings, transport);
		expect(renewed.accessToken).toBe('token-2');
		expect(await get()).toBe(renewed);
	});

	it('do not fail the others when one caller is cancelled', async () => {
		const answered = gate();
		const { world, get } = await setUp({
			token: async () => {
				await answered.opened;
				return tokenAnswer('shared');
			},
		});
		const caller = new AbortController();
		const cancelled = rejection(get({}, caller.signal));
		const others = [1, 2].map(() => get());
		caller.abort(new Error('this one is cancelled'));
		expect(await cancelled).toMatchObject({ message: 'this one is cancelled' });
		answered.open();
		expect(await Promise.all(others)).toMatchObject([
			{ accessToken: 'shared' },
			{ accessToken: 'shared' },
		]);
		expect(world.tokensAskedFor()).toBe(1);
	});

	it('give the request up when the last caller is cancelled, and send a new one for the next', async () => {
		const broken = gate();
		let asked = 0;
		const { get } = await setUp({
			token: (_request, { response }) => {
				if (++asked > 1) return tokenAnswer('next');
				response.on('close', broken.open);
				return undefined;
			},
		});
		const caller = new AbortController();
		const cancelled = rejection(get({}, caller.signal));
		while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
		caller.abort(new Error('cancelled'));
		expect(await cancelled).toMatchObject({ message: 'cancelled' });
		await broken.opened;
		expect(await get()).toMatchObject({ accessToken: 'next' });
	});

	it('refuse a caller that is cancelled already, without asking', async () => {
		const { world, get } = await setUp();
		const signal = AbortSignal.abort(new Error('too late'));
		const error = await rejection(get({}, signal));
		expect(error).toMatchObject({ message: 'too late' });
		expect(world.tokensAskedFor()).toBe(0);
	});

	it('send the next request at once after one that was given up, and share it', async () => {
		const answers: ((token: string) => void)[] = [];
		const { world, get } = await setUp({
			token: async () => tokenAnswer(await new Promise<string>((give) => answers.push(give))),
		});
		const asked = async (count: number) => {
			while (answers.length < count) await new Promise((resolve) => setImmediate(resolve));
		};
		const caller = new AbortController();
		const cancelled = rejection(get({}, caller.signal));
		await asked(1);
		caller.abort(new Error('cancelled'));
		// Before the first request has come to its end.
		await Promise.resolve();
		const second = get();
		expect(await cancelled).toMatchObject({ message: 'cancelled' });
		await asked(2);
		const third = get();
		answers[1]?.('second');
		for (const token of [second, third]) expect((await token).accessToken).toBe('second');
		expect(world.tokensAskedFor()).toBe(2);
	});

	it('fail everyone who waits, and ask again for the next', async () => {
		let refuse = true;
		const { world, get } = await setUp({
			token: () => (refuse ? { status: 400, body: {} } : tokenAnswer('at-last')),
		});
		const failures = await Promise.all([1, 2, 3].map(() => rejection(get())));
		expect(failures).toMatchObject([{ status: 400 }, { status: 400 }, { status: 400 }]);
		expect(world.tokensAskedFor()).toBe(1);
		refuse = false;
		expect(await get()).toMatchObject({ accessToken: 'at-last' });
	});

	it('keep so many and no more, the one unused for longest going first', async () => {
		const { world, get } = await setUp({ maxTokens: 2 });
		const getAs = async (clientId: string) => await get({ clientId });
		await getAs('a');
		await getAs('b');
		await getAs('a');
		await getAs('c');
		await getAs('a');
		expect(world.tokensAskedFor()).toBe(3);
		await getAs('b');
		expect(world.tokensAskedFor()).toBe(4);
	});

	it('are kept under keys that tell nothing of the client and its secret', async () => {
		const { get } = await setUp();
		const set = jest.spyOn(Map.prototype, 'set');
		await get();
		const calls = set.mock.calls.map(([key, value]) => [key, value] as unknown[]);
		set.mockRestore();
		const kept = calls.find(
			([, value]) => isRecord(value) && JSON.stringify(value).includes('"accessToken":"token-1"'),
		);
		expect(kept?.[0]).toMatch(/^[A-Za-z0-9+/]{43}=$/);
		const keys = calls.map(([key]) => String(key)).join();
		expect(keys).not.toContain(SECRET);
	});
});
