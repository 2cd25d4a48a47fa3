import type { Hold } from '../../../../lib/ledger';
import { settleWithAnswer } from '../../../../n8n/receiver/settleWithAnswer';

const setUp = (statusCode: number) => {
	const order: string[] = [];
	let settle: () => void = () => undefined;
	const settled = new Promise<void>((resolve) => {
		settle = resolve;
	});
	const hold: Hold = {
		commit: async (retentionMs) => {
			order.push(`commit ${retentionMs}`);
			await settled;
			return 'committed';
		},
		release: async () => {
			order.push('release');
			await settled;
		},
	};
	const response = {
		statusCode,
		sent: [] as unknown[][],
		end(...answer: unknown[]) {
			order.push('end');
			this.sent.push(answer);
			return this;
		},
	};
	settleWithAnswer(response, hold, 1000);
	return { order, response, settle };
};

const nextTurn = async () => {
	await new Promise((resolve) => setImmediate(resolve));
};

describe('settleWithAnswer', () => {
	it.each([200, 204, 299])('commits on %d and sends the answer after that', async (status) => {
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
		'releases on %d and sends the answer after that',
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

	it('settles once and sends the first answer when end is called again meanwhile', async () => {
		const { order, response, settle } = setUp(200);
		response.end('first');
		response.end('second');
		settle();
		await nextTurn();
		expect(order).toEqual(['commit 1000', 'end']);
		expect(response.sent).toEqual([['first']]);
	});

	it('does nothing before the answer ends', async () => {
		const { order } = setUp(200);
		await nextTurn();
		expect(order).toEqual([]);
	});
});
