import { endpointHealth, SERVICE_INTERFACE } from '../../../lib/service';

const NOW = Date.UTC(2026, 0, 8);
const hoursAgo = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();

const delivery = (status: string, hours: number, attempts = 1) => ({
	id: `del_${hours}`,
	eventId: `ev_${hours}`,
	status,
	createdAt: hoursAgo(hours),
	attempts: Array.from({ length: attempts }, (_, n) => ({ timestamp: hoursAgo(hours - n / 10) })),
});
const healthWith = async (settings: object, deliveries: readonly Record<string, unknown>[]) => {
	const list = async function* () {
		yield* deliveries;
	};
	return await endpointHealth(list(), { ...SERVICE_INTERFACE, ...settings }, NOW);
};
const health = async (...deliveries: Record<string, unknown>[]) => await healthWith({}, deliveries);
const oldest = async (...deliveries: Record<string, unknown>[]) =>
	(await health(...deliveries)).oldestFailure?.deliveryId ?? null;

describe('the health of an endpoint', () => {
	it('goes by the words of the service for the status of a delivery', async () => {
		const words = { succeededWords: 'delivered, OK', failedWords: 'error' };
		const deliveries = ['ok', 'Delivered', 'ERROR', 'success'].map((status) => delivery(status, 1));
		expect(await healthWith(words, deliveries)).toMatchObject({ delivered: 2, failed: 1 });
	});

	it('counts only successes and failures', async () => {
		expect(
			await health(
				delivery('success', 1),
				delivery('SUCCESS', 2),
				delivery('failed', 3),
				delivery('success', 4),
				delivery('pending', 5),
				{ id: 'without a status' },
			),
		).toEqual({
			delivered: 3,
			failed: 1,
			share: 0.75,
			oldestFailure: null,
			givingUp: false,
			withoutStatus: 1,
		});
	});

	it('has no share without deliveries', async () => {
		expect(await health()).toMatchObject({ delivered: 0, failed: 0, share: null });
	});

	it('names the oldest failure after which none succeeded', async () => {
		const { oldestFailure } = await health(
			delivery('failed', 1),
			delivery('failed', 9, 3),
			delivery('success', 10),
			delivery('failed', 11),
		);
		expect(oldestFailure).toEqual({
			deliveryId: 'del_9',
			eventId: 'ev_9',
			createdAt: hoursAgo(9),
			lastAttemptAt: hoursAgo(8.8),
			attempts: 3,
		});
	});

	it('is the same whatever the order of the list', async () => {
		const [newer, older] = [delivery('failed', 2), delivery('failed', 9)];
		const success = delivery('success', 10);
		for (const failures of [
			[newer, older],
			[older, newer],
		]) {
			expect(await oldest(...failures, success)).toBe('del_9');
			expect(await oldest(success, ...failures)).toBe('del_9');
		}
		expect(await oldest(older, success, newer)).toBe('del_9');
		expect(await oldest(delivery('failed', 9), delivery('success', 3))).toBeNull();
	});

	it.each([
		['a success without a time', { status: 'success' }, 'del_3'],
		['a failure without a time', { id: 'odd', status: 'failed', attempts: [{}] }, 'del_3'],
	])('counts %s, and decides nothing by it', async (_name, odd, expected) => {
		const found = await health(odd, delivery('failed', 3));
		expect(found.delivered + found.failed).toBe(2);
		expect(found.oldestFailure?.deliveryId).toBe(expected);
	});

	it('uses the first attempt as the time of a delivery without one', async () => {
		const seconds = NOW / 1000 - 42 * 3600;
		const attempts = [{ timestamp: seconds }, { timestamp: seconds + 3600 }];
		expect(await health({ id: 7, status: 'failed', attempts })).toMatchObject({
			oldestFailure: {
				deliveryId: '7',
				eventId: null,
				createdAt: hoursAgo(42),
				lastAttemptAt: hoursAgo(41),
				attempts: 2,
			},
			givingUp: true,
		});
	});

	it.each([
		['young, with retries left', delivery('failed', 40.9, 5), false],
		['41 hours old, with the last retry left', delivery('failed', 41, 5), true],
		['out of its retries', delivery('failed', 1, 6), true],
	])('knows whether the service gives up: %s', async (_name, failure, expected) => {
		expect((await health(failure)).givingUp).toBe(expected);
		expect((await health(failure, delivery('success', 50))).givingUp).toBe(expected);
		expect((await health(failure, delivery('success', 0.5))).givingUp).toBe(false);
	});
});
