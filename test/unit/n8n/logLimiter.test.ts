import { createLogLimiter } from '../../../n8n/logLimiter';

describe('createLogLimiter', () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	const setUp = (perSecond: number) => {
		const lines: string[] = [];
		const limiter = createLogLimiter((line) => lines.push(line), { perSecond });
		return { lines, limiter };
	};

	it('writes every line up to the rate', () => {
		const { lines, limiter } = setUp(3);
		for (const n of [1, 2, 3]) limiter.write('node', 'busy', () => `line ${n}`);
		expect(lines).toEqual(['line 1', 'line 2', 'line 3']);
	});

	it('sums up what is beyond the rate in one line when the second is over', () => {
		const { lines, limiter } = setUp(2);
		for (let n = 0; n < 5; n += 1) limiter.write('node', 'busy', () => 'line');
		limiter.write('node', 'event_invalid', () => 'line');
		expect(lines).toEqual(['line', 'line']);
		jest.advanceTimersByTime(1000);
		expect(lines.slice(2)).toEqual([
			'node: more lines of the same second left out (busy: 3, event_invalid: 1)',
		]);
		jest.advanceTimersByTime(5000);
		expect(lines).toHaveLength(3);
	});

	it('writes again in the next second, after the sum of the one before', () => {
		const { lines, limiter } = setUp(1);
		limiter.write('node', 'busy', () => 'first');
		limiter.write('node', 'busy', () => 'left out');
		jest.advanceTimersByTime(1000);
		limiter.write('node', 'busy', () => 'second');
		expect(lines).toEqual(['first', expect.stringContaining('busy: 1'), 'second']);
	});

	it('counts each source on its own', () => {
		const { lines, limiter } = setUp(1);
		limiter.write('one', 'busy', () => 'one');
		limiter.write('two', 'busy', () => 'two');
		expect(lines).toEqual(['one', 'two']);
	});

	it('does not make the text of a line that is left out', () => {
		const { limiter } = setUp(0);
		const line = jest.fn(() => 'line');
		limiter.write('node', 'busy', line);
		expect(line).not.toHaveBeenCalled();
	});
});
