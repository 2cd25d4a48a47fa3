import { undiciTransport } from '../../../../lib/service';
import { createAccessTokens } from '../../../../lib/service/tokens';
import { rejection, startWorld, stopWorlds } from '../world';

afterEach(stopWorlds);

describe('a token request that was given up', () => {
	it('leaves the one after it alone: who comes later shares that', async () => {
		const answers: ((token: string) => void)[] = [];
		const world = await startWorld({
			token: async () => {
				const token = await new Promise<string>((resolve) => answers.push(resolve));
				return { body: { access_token: token, token_type: 'bearer', expires_in: 60 } };
			},
		});
		const asked = async (count: number) => {
			while (answers.length < count) await new Promise((resolve) => setImmediate(resolve));
		};
		const transport = undiciTransport({ env: {} });
		const tokens = createAccessTokens();
		const caller = new AbortController();
		const cancelled = rejection(tokens.get(world.settings, transport, caller.signal));
		await asked(1);
		caller.abort(new Error('cancelled'));
		// Before the first request has come to its end.
		await Promise.resolve();
		const second = tokens.get(world.settings, transport);
		expect(await cancelled).toMatchObject({ message: 'cancelled' });
		await asked(2);
		const third = tokens.get(world.settings, transport);
		answers[1]?.('second');
		expect((await second).accessToken).toBe('second');
		expect((await third).accessToken).toBe('second');
		expect(world.tokensAskedFor()).toBe(2);
	});
});
