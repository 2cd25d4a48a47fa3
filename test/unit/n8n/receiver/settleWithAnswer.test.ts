import { EventEmitter } from 'node:events';
import type { Acknowledge, Committed, Hold } from '../../../../lib/ledger';
import { settleWithAnswer } from '../../../../n8n/receiver/settleWithAnswer';
import { gate } from '../../../support/wait';
import { useStoppedClock } from '../../ledger/stoppedClock';

const setUp = (
	statusCode: number,
	acknowledge: Acknowledge = 'stored',
	committed: Committed = 'committed',
) => {
	const order: string[] = [];
	const { opened: settled, open: settle } = gate();
	const hold: Hold = {
		commit: async (retentionMs) => {
			order.push(`commit ${retentionMs}`);
			await settled;
			return committed;
		},
		release: async () => {
			order.push('release');
			await settled;
		},
	};
	const response = Object.assign(new EventEmitter(), {
		statusCode,
		destroyed: false,
		headersSent: false,
		headers: new Map([['Content-Length', '4']]),
		setHeader: (name: string, value: string) => response.headers.set(name, value),
		removeHeader: (name: string) => response.headers.delete(name),
		sent: [] as unknown[][],
		end(...answer: unknown[]) {
			order.push('end');
			response.sent.push(answer);
			return response;
		},
	});
	settleWithAnswer(response, hold, { acknowledge, retentionMs: 1000 });
	/** The sender's, as Node's HTTP server reports it. */
	const hangUp = () => {
		response.destroyed = true;
		response.emit('close');
	};
	return { order, response, settle, hangUp };
};

const nextTurn = async () => {
	await new Promise((resolve) => setImmediate(resolve));
};

describe('settleWithAnswer', () => {
	it.each([200, 204, 299])('commits on %d and sends the response after that', async (status) => {
		const { order, response, settle } = setUp(status);
		expect(response.end('body', 'utf8')).toBe(response);
		await nextTurn();
		expect(order).toEqual(['commit 1000']);
		settle();
		await nextTurn();
		expect(order).toEqual(['commit 1000', 'end']);
		expect(response.sent).toEqual([['body', 'utf8']]);
	});

	it.each([300, 404, 500, 503])(
		'releases on %d and sends the response after that',
		async (status) => {
			const { order, response, settle } = setUp(status);
			response.end();
			settle();
			await nextTurn();
			expect(order).toEqual(['release', 'end']);
		},
	);

	it('goes by the status at the end, not at the beginning', async () => {
		const { order, response, settle } = setUp(200);
		response.statusCode = 500;
		response.end();
		settle();
		await nextTurn();
		expect(order).toEqual(['release', 'end']);
	});

	it('settles once and sends the first response if end is called again in the meantime', async () => {
		const { order, response, settle } = setUp(200);
		response.end('first');
		response.end('second');
		settle();
		await nextTurn();
		expect(order).toEqual(['commit 1000', 'end']);
		expect(response.sent).toEqual([['first']]);
	});

	it('asks the sender to retry in a minute if the execution ran without the event', async () => {
		const { response, settle } = setUp(200, 'succeeded', 'lost');
		response.end('done');
		settle();
		await nextTurn();
		expect(response.sent).toEqual([['{"status":"busy"}']]);
		expect(response.statusCode).toBe(503);
		expect([...response.headers]).toEqual([
			['Retry-After', '60'],
			['Content-Type', 'application/json'],
		]);
	});

	it('only ends a response to it that n8n has already begun to send', async () => {
		const { response, settle } = setUp(200, 'succeeded', 'lost');
		response.headersSent = true;
		response.end('done');
		settle();
		await nextTurn();
		expect(response.sent).toEqual([[]]);
		expect([...response.headers]).toEqual([['Content-Length', '4']]);
	});

	it('does nothing before the response ends', async () => {
		const { order } = setUp(200);
		await nextTurn();
		expect(order).toEqual([]);
	});
});

describe('an execution that n8n does not respond for', () => {
	useStoppedClock();

	it('counts as stored 30 s after the hand-over, when its sender has hung up before', async () => {
		const { order, hangUp } = setUp(200);
		await jest.advanceTimersByTimeAsync(5_000);
		hangUp();
		await jest.advanceTimersByTimeAsync(24_990);
		expect(order).toEqual([]);
		await jest.advanceTimersByTimeAsync(20);
		expect(order).toEqual(['commit 1000']);
	});

	it('counts as stored as soon as its sender hangs up later than that, not while it waits', async () => {
		const { order, hangUp } = setUp(200);
		await jest.advanceTimersByTimeAsync(10 * 60_000);
		expect(order).toEqual([]);
		hangUp();
		expect(order).toEqual(['commit 1000']);
	});

	it('counts as stored when its sender had hung up before the hand-over', async () => {
		const { order, response } = setUp(200);
		response.destroyed = true;
		await jest.advanceTimersByTimeAsync(30_000);
		expect(order).toEqual(['commit 1000']);
	});

	it('does not count as stored if it must succeed', async () => {
		const { order, hangUp } = setUp(200, 'succeeded');
		hangUp();
		await jest.advanceTimersByTimeAsync(10 * 60_000);
		expect(order).toEqual([]);
	});

	it('is given back when n8n reports a failure after all', async () => {
		const { order, response, hangUp, settle } = setUp(200);
		hangUp();
		await jest.advanceTimersByTimeAsync(30_000);
		response.statusCode = 500;
		response.end();
		settle();
		await jest.advanceTimersByTimeAsync(0);
		expect(order).toEqual(['commit 1000', 'release', 'end']);
	});

	it('is not committed by a sender that hangs up while a release is being written', async () => {
		const { order, response, hangUp } = setUp(500);
		await jest.advanceTimersByTimeAsync(29_000);
		response.end();
		hangUp();
		await jest.advanceTimersByTimeAsync(60_000);
		expect(order).toEqual(['release']);
	});

	it('leaves no timer and no listener once n8n has responded', () => {
		const { response } = setUp(200);
		expect(jest.getTimerCount()).toBe(1);
		response.end();
		expect(jest.getTimerCount()).toBe(0);
		expect(response.listenerCount('close')).toBe(0);
	});

	it('keeps no process alive', () => {
		const timers = jest.spyOn(global, 'setTimeout');
		setUp(200);
		expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([
			false,
		]);
	});
});
