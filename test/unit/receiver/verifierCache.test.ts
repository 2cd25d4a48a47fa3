import { createVerifierCache, type SecretSource } from '../../../lib/receiver/verify';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { gate } from '../../support/wait';

const setUp = () => {
	let time = 0;
	let signingSecret = 'first-secret';
	let version: string | undefined;
	let reads = 0;
	const cache = createVerifierCache(() => time);
	const read: SecretSource['read'] = async () => {
		reads += 1;
		return { settings: { signingSecret }, ...(version !== undefined && { version }) };
	};
	return {
		cache,
		read,
		reads: () => reads,
		advance: (ms: number) => {
			time += ms;
		},
		setSecret: (secret: string, newVersion?: string) => {
			signingSecret = secret;
			version = newVersion;
		},
	};
};

const accepts = async (
	result: ReturnType<ReturnType<typeof setUp>['cache']['get']>,
	secret: string,
) => {
	const answer = await result;
	if (!answer.ok) return false;
	const headers = { 'x-webhook-signature': signTimestamped(secret, 1000, '{}') };
	const options = { nowSeconds: 1000, toleranceSeconds: 300 };
	return answer.verifier.verify(headers, Buffer.from('{}'), options).ok;
};

describe('createVerifierCache', () => {
	it('reads once for many callers at the same time', async () => {
		const { cache, read, reads } = setUp();
		await Promise.all(Array.from({ length: 50 }, async () => await cache.get('key', read)));
		expect(reads()).toBe(1);
	});

	it('keeps a verifier for 15 seconds and reads again after that', async () => {
		const { cache, read, reads, advance, setSecret } = setUp();
		await cache.get('key', read);
		setSecret('second-secret');
		advance(14_999);
		expect(await accepts(cache.get('key', read), 'first-secret')).toBe(true);
		expect(reads()).toBe(1);
		advance(1);
		expect(await accepts(cache.get('key', read), 'second-secret')).toBe(true);
		expect(reads()).toBe(2);
	});

	it('joins a refresh to a read that is under way, however young', async () => {
		const { cache, reads, read, setSecret } = setUp();
		await cache.get('other', read);
		const { opened: answered, open: answer } = gate();
		const slow = cache.get('key', async () => {
			await answered;
			return await read();
		});
		setSecret('second-secret');
		const refreshed = cache.refresh('key', read);
		answer();
		expect((await refreshed)?.ok).toBe(true);
		expect(await accepts(slow, 'second-secret')).toBe(true);
		expect(reads()).toBe(2);
	});

	it('refreshes at once, and once, when the settings are known to have changed', async () => {
		const { cache, read, reads, setSecret } = setUp();
		setSecret('first-secret', 'one');
		await cache.get('key', read);
		expect(await cache.refresh('key', read, 'one')).toBeUndefined();
		setSecret('second-secret', 'two');
		expect(await cache.refresh('key', read)).toBeUndefined();
		const refreshes = await Promise.all([1, 2, 3].map(() => cache.refresh('key', read, 'two')));
		expect(refreshes.map((result) => result?.ok)).toEqual([true, true, true]);
		expect(await accepts(cache.get('key', read), 'second-secret')).toBe(true);
		expect(await cache.refresh('key', read, 'two')).toBeUndefined();
		expect(reads()).toBe(2);
	});

	it('does not settle for a read that began before the settings changed', async () => {
		const { cache, read, reads, setSecret } = setUp();
		setSecret('first-secret', 'one');
		const { opened: answered, open: answer } = gate();
		const slow = cache.get('key', async () => {
			const settings = await read();
			await answered;
			return settings;
		});
		setSecret('second-secret', 'two');
		const refreshes = [1, 2, 3].map(() => cache.refresh('key', read, 'two'));
		answer();
		expect(await accepts(slow, 'first-secret')).toBe(true);
		for (const refresh of await Promise.all(refreshes)) expect(refresh?.ok).toBe(true);
		expect(await accepts(cache.get('key', read), 'second-secret')).toBe(true);
		expect(reads()).toBe(2);
	});

	it('keeps no failed read', async () => {
		const { cache, read, reads } = setUp();
		await expect(
			cache.get('key', async () => await Promise.reject(new Error('database down'))),
		).rejects.toThrow('database down');
		expect((await cache.get('key', read)).ok).toBe(true);
		expect(reads()).toBe(1);
	});

	it('looks for a missing secret again after a second', async () => {
		const { cache, read, advance, setSecret } = setUp();
		setSecret('');
		expect((await cache.get('key', read)).ok).toBe(false);
		setSecret('first-secret');
		advance(999);
		expect((await cache.get('key', read)).ok).toBe(false);
		advance(1);
		expect((await cache.get('key', read)).ok).toBe(true);
	});

	it('keeps what was read again, whatever becomes of the read before', async () => {
		const { cache, read, reads, advance } = setUp();
		const failed = Promise.withResolvers<never>();
		const slow = expect(cache.get('key', () => failed.promise)).rejects.toThrow('database down');
		advance(15_000);
		await cache.get('key', read);
		failed.reject(new Error('database down'));
		await slow;
		await cache.get('key', read);
		expect(reads()).toBe(1);
	});

	it('reads when it is to refresh what it does not have', async () => {
		const { cache, read } = setUp();
		expect((await cache.refresh('key', read))?.ok).toBe(true);
	});

	it('keeps 10,000 keys, and gives up the one that was read first for another one', async () => {
		const { cache, read, reads, advance } = setUp();
		for (let n = 0; n < 10_000; n += 1) await cache.get(String(n), read);
		advance(1_000);
		await cache.refresh('0', read);
		expect(reads()).toBe(10_001);
		await cache.get('one more', read);
		await cache.get('0', read);
		await cache.get('2', read);
		expect(reads()).toBe(10_002);
		await cache.get('1', read);
		expect(reads()).toBe(10_003);
	});

	it('keeps each key on its own', async () => {
		const { cache, read, reads } = setUp();
		await cache.get('one', read);
		await cache.get('two', read);
		expect(reads()).toBe(2);
	});
});
