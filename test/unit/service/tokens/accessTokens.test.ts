import { undiciTransport } from '../../../../lib/service';
import { USER_AGENT } from '../../../../lib/service/common/defaults';
import { createAccessTokens } from '../../../../lib/service/tokens/accessTokens';
import { isRecord } from '../../../../lib/shared/values';
import { fakeRuntime, rejection, SECRET, startWorld, stopWorlds } from '../world';

afterEach(stopWorlds);

const transport = undiciTransport({ env: {} });

/** Something that a test opens when it likes. */
const gate = () => {
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => (open = resolve));
	return {
		opened,
		open: () => {
			open();
		},
	};
};
const tokenAnswer = (token: string) => ({
	body: { access_token: token, token_type: 'bearer', expires_in: 60 },
});

describe('the access tokens of a process', () => {
	it('ask once for fifty callers at the same time', async () => {
		const world = await startWorld();
		const tokens = createAccessTokens();
		const given = await Promise.all(
			Array.from({ length: 50 }, () => tokens.get(world.settings, transport)),
		);
		expect(new Set(given.map(({ accessToken }) => accessToken))).toEqual(new Set(['token-1']));
		expect(world.tokensAskedFor()).toBe(1);
	});

	it('ask exactly as the specification says', async () => {
		const world = await startWorld();
		await createAccessTokens().get(world.settings, transport);
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
		const world = await startWorld({ expiresIn });
		const runtime = fakeRuntime();
		const tokens = createAccessTokens({ runtime });
		await tokens.get(world.settings, transport);
		runtime.pass(usable * 1000 - 1);
		await tokens.get(world.settings, transport);
		expect(world.tokensAskedFor()).toBe(1);
		runtime.pass(1);
		await tokens.get(world.settings, transport);
		expect(world.tokensAskedFor()).toBe(2);
	});

	it.each(['authUrl', 'clientId', 'clientSecret', 'audience'] as const)(
		'tell apart API clients by %s',
		async (field) => {
			const world = await startWorld();
			const tokens = createAccessTokens();
			await tokens.get(world.settings, transport);
			const changed = field === 'authUrl' ? `http://localhost:${world.service.port}` : 'other';
			await tokens.get({ ...world.settings, [field]: changed }, transport);
			expect(world.tokensAskedFor()).toBe(2);
		},
	);

	it('do not tell apart by base URL, which has nothing to do with a token', async () => {
		const world = await startWorld();
		const tokens = createAccessTokens();
		await tokens.get(world.settings, transport);
		await tokens.get({ ...world.settings, baseUrl: 'https://elsewhere.example' }, transport);
		expect(world.tokensAskedFor()).toBe(1);
	});

	it('forget a token that was dropped, but not a newer one', async () => {
		const world = await startWorld();
		const tokens = createAccessTokens();
		expect(tokens.drop(world.settings, 'unknown')).toBe(true);
		const first = await tokens.get(world.settings, transport);
		tokens.drop(world.settings, first.accessToken);
		const second = await tokens.get(world.settings, transport);
		expect(tokens.drop(world.settings, first.accessToken)).toBe(true);
		expect(await tokens.get(world.settings, transport)).toBe(second);
		expect(world.tokensAskedFor()).toBe(2);
	});

	it('fetch no further token for a minute after the renewed one is refused too', async () => {
		const world = await startWorld({ expiresIn: 65 });
		const runtime = fakeRuntime();
		const tokens = createAccessTokens({ runtime });
		const refuse = async () => {
			const { accessToken } = await tokens.get(world.settings, transport);
			return tokens.drop(world.settings, accessToken);
		};
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
		const world = await startWorld({ expiresIn: 30 });
		const runtime = fakeRuntime();
		const tokens = createAccessTokens({ runtime });
		const refuse = async () => {
			const { accessToken } = await tokens.get(world.settings, transport);
			return tokens.drop(world.settings, accessToken);
		};
		expect([await refuse(), await refuse()]).toEqual([true, false]);
		runtime.pass(29_999);
		expect(await refuse()).toBe(false);
		expect(world.tokensAskedFor()).toBe(2);
		runtime.pass(1);
		expect(await refuse()).toBe(false);
		expect(world.tokensAskedFor()).toBe(3);
	});

	it('fetch another one at once when the renewed one has worked for a minute before it is refused', async () => {
		const world = await startWorld();
		const runtime = fakeRuntime();
		const tokens = createAccessTokens({ runtime });
		tokens.drop(world.settings, (await tokens.get(world.settings, transport)).accessToken);
		const renewed = await tokens.get(world.settings, transport);
		runtime.pass(60_000);
		expect(tokens.drop(world.settings, renewed.accessToken)).toBe(true);
		await tokens.get(world.settings, transport);
		expect(world.tokensAskedFor()).toBe(3);
	});

	it('fetch a new token on demand, and use it from then on', async () => {
		const world = await startWorld();
		const tokens = createAccessTokens();
		await tokens.get(world.settings, transport);
		const renewed = await tokens.renew(world.settings, transport);
		expect(renewed.accessToken).toBe('token-2');
		expect(await tokens.get(world.settings, transport)).toBe(renewed);
	});

	it('do not fail the others when one caller is cancelled', async () => {
		const answered = gate();
		const world = await startWorld({
			token: async () => {
				await answered.opened;
				return tokenAnswer('shared');
			},
		});
		const tokens = createAccessTokens();
		const caller = new AbortController();
		const cancelled = rejection(tokens.get(world.settings, transport, caller.signal));
		const others = [1, 2].map(() => tokens.get(world.settings, transport));
		caller.abort(new Error('this one is cancelled'));
		expect(await cancelled).toMatchObject({ message: 'this one is cancelled' });
		answered.open();
		expect(await Promise.all(others)).toMatchObject([
			{ accessToken: 'shared' },
			{ accessToken: 'shared' },
		]);
		expect(world.tokensAskedFor()).toBe(1);
	});

	it('give the request up when the last caller is cancelled, and ask anew for the next', async () => {
		const broken = gate();
		let asked = 0;
		const world = await startWorld({
			token: (_request, { response }) => {
				if (++asked > 1) return tokenAnswer('next');
				response.on('close', broken.open);
				return undefined;
			},
		});
		const tokens = createAccessTokens();
		const caller = new AbortController();
		const cancelled = rejection(tokens.get(world.settings, transport, caller.signal));
		while (asked === 0) await new Promise((resolve) => setImmediate(resolve));
		caller.abort(new Error('cancelled'));
		expect(await cancelled).toMatchObject({ message: 'cancelled' });
		await broken.opened;
		expect(await tokens.get(world.settings, transport)).toMatchObject({ accessToken: 'next' });
	});

	it('refuse a caller that is cancelled already, without asking', async () => {
		const world = await startWorld();
		const signal = AbortSignal.abort(new Error('too late'));
		const error = await rejection(createAccessTokens().get(world.settings, transport, signal));
		expect(error).toMatchObject({ message: 'too late' });
		expect(world.tokensAskedFor()).toBe(0);
	});

	it('fail everyone who waits, and ask again for the next', async () => {
		let refuse = true;
		const world = await startWorld({
			token: () => (refuse ? { status: 400, body: {} } : tokenAnswer('at-last')),
		});
		const tokens = createAccessTokens();
		const failures = await Promise.all(
			[1, 2, 3].map(() => rejection(tokens.get(world.settings, transport))),
		);
		expect(failures).toMatchObject([{ status: 400 }, { status: 400 }, { status: 400 }]);
		expect(world.tokensAskedFor()).toBe(1);
		refuse = false;
		expect(await tokens.get(world.settings, transport)).toMatchObject({ accessToken: 'at-last' });
	});

	it('keep so many and no more, the one unused for longest going first', async () => {
		const world = await startWorld();
		const tokens = createAccessTokens({ maxTokens: 2 });
		const get = (clientId: string) => tokens.get({ ...world.settings, clientId }, transport);
		await get('a');
		await get('b');
		await get('a');
		await get('c');
		await get('a');
		expect(world.tokensAskedFor()).toBe(3);
		await get('b');
		expect(world.tokensAskedFor()).toBe(4);
	});

	it('are kept under keys that tell nothing of the client and its secret', async () => {
		const world = await startWorld();
		const set = jest.spyOn(Map.prototype, 'set');
		await createAccessTokens().get(world.settings, transport);
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
