import { EventEmitter } from 'node:events';
import { settleWithAnswer } from '../../../../n8n/webhook/delivery';
import { gate } from '../../../support/wait';
import { useStoppedClock } from '../../ledger/stoppedClock';

const setUp = (statusCode: number, outcome?: 'accepted' | 'failed' | 'busy') => {
	const order: string[] = [];
	const { opened: settled, open: settle } = gate();
	const handOver = {
		settle: async (isOk: boolean) => {
			order.push(isOk ? 'stored' : 'not stored');
			await settled;
			return outcome ?? (isOk ? 'accepted' : 'failed');
		},
		abandon: async () => {
			order.push('abandon');
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
	settleWithAnswer(response, handOver);
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
	it.each([200, 204, 299])(
		'settles a success on %d and sends the response after that',
		async (status) => {
			const { order, response, settle } = setUp(status);
			expect(response.end('body', 'utf8')).toBe(response);
			await nextTurn();
			expect(order).toEqual(['stored']);
			settle();
			await nextTurn();
			expect(order).toEqual(['stored', 'end']);
			expect(response.sent).toEqual([['body', 'utf8']]);
		},
	);

	it.each([300, 404, 500, 503])(
		'settles a failure on %d and sends the response after that',
		async (status) => {
			const { order, response, settle } = setUp(status);
			response.end();
			settle();
			await nextTurn();
			expect(order).toEqual(['not stored', 'end']);
		},
	);

	it('goes by the status at the end, not at the beginning', async () => {
		const { order, response, settle } = setUp(200);
		response.statusCode = 500;
		response.end();
		settle();
		await nextTurn();
		expect(order).toEqual(['not stored', 'end']);
	});

	it('settles once and sends the first response if end is called again in the meantime', async () => {
		const { order, response, settle } = setUp(200);
		response.end('first');
		response.end('second');
		settle();
		await nextTurn();
		expect(order).toEqual(['stored', 'end']);
		expect(response.sent).toEqual([['first']]);
	});

	it.each([
		[200, 'busy', 503, 'busy', [['Retry-After', '60']]],
		[500, 'busy', 503, 'busy', [['Retry-After', '60']]],
		[500, 'accepted', 200, 'accepted', []],
	] as const)('turns n8n’s %d into the outcome %s', async (...row) => {
		const [status, outcome, sentStatus, body, headers] = row;
		const { response, settle } = setUp(status, outcome);
		response.end('done');
		settle();
		await nextTurn();
		expect(response.sent).toEqual([[JSON.stringify({ status: body })]]);
		expect(response.statusCode).toBe(sentStatus);
		expect([...response.headers]).toEqual([...headers, ['Content-Type', 'application/json']]);
	});

	it('only ends a response to it that n8n has already begun to send', async () => {
		const { response, settle } = setUp(200, 'busy');
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
		expect(order).toEqual(['abandon']);
	});

	it('counts as stored as soon as its sender hangs up later than that, not while it waits', async () => {
		const { order, hangUp } = setUp(200);
		await jest.advanceTimersByTimeAsync(10 * 60_000);
		expect(order).toEqual([]);
		hangUp();
		expect(order).toEqual(['abandon']);
	});

	it('counts as stored when its sender had hung up before the hand-over', async () => {
		const { order, response } = setUp(200);
		response.destroyed = true;
		await jest.advanceTimersByTimeAsync(30_000);
		expect(order).toEqual(['abandon']);
	});

	it('is settled as a failure when n8n reports one after all', async () => {
		const { order, response, hangUp, settle } = setUp(200);
		hangUp();
		await jest.advanceTimersByTimeAsync(30_000);
		response.statusCode = 500;
		response.end();
		settle();
		await jest.advanceTimersByTimeAsync(0);
		expect(order).toEqual(['abandon', 'not stored', 'end']);
	});

	it('is not abandoned when its sender hangs up while a failure is being settled', async () => {
		const { order, response, hangUp } = setUp(500);
		await jest.advanceTimersByTimeAsync(29_000);
		response.end();
		hangUp();
		await jest.advanceTimersByTimeAsync(60_000);
		expect(order).toEqual(['not stored']);
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
