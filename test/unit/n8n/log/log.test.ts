import type { IWebhookFunctions } from 'n8n-workflow';
import { createLogLimiter, logLine } from '../../../../n8n/log/log';

const lineOf = (type: string, name: string, id: string | undefined, message: string) => {
	const context = { getNode: () => ({ name, type }), getWorkflow: () => ({ id }) };
	return logLine(context as unknown as IWebhookFunctions, message);
};

it.each([
	['n8n-nodes-asset-service.assetServicePollTrigger', 'Asset Service Poll Trigger'],
	['CUSTOM.assetService', 'Asset Service'],
	['assetServiceTrigger', 'Asset Service Trigger'],
])('names the kind of node of the type %s', (type, kind) => {
	expect(lineOf(type, 'Events', 'w1', 'why')).toBe(`${kind} "Events" in workflow w1: why`);
});

it('says so of a workflow that is not saved', () => {
	expect(lineOf('assetService', 'List', undefined, 'why')).toBe(
		'Asset Service "List" in workflow (not saved): why',
	);
});

it('is one printable line of bounded length, whatever node, workflow and message are', () => {
	const odd = `\u001b[31m\n${'x'.repeat(100_000)}`;
	const line = lineOf(odd, odd, odd, odd);
	expect(line).not.toMatch(/[\u0000-\u001f]/);
	expect(line.length).toBeLessThan(1700);
});

describe('createLogLimiter', () => {
	let lines: string[];
	let limiter: ReturnType<typeof createLogLimiter>;
	const write = (kind: string, line: string) => {
		limiter.call(kind, () => line);
	};

	beforeEach(() => {
		jest.useFakeTimers();
		lines = [];
		limiter = createLogLimiter({ warn: (line) => lines.push(line) });
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	it('writes one line, and when the second is over the newest of the others with their number', () => {
		for (let n = 0; n < 100; n += 1) write('busy', `line ${n}`);
		expect(lines).toEqual(['line 0']);
		jest.advanceTimersByTime(999);
		expect(lines).toHaveLength(1);
		jest.advanceTimersByTime(1);
		expect(lines.slice(1)).toEqual(['line 99 (99 of this kind since the line before)']);
		jest.advanceTimersByTime(5000);
		expect(lines).toHaveLength(2);
	});

	it('writes one line a second under a flood, and leaves no line uncounted', () => {
		const seconds = 30;
		for (let n = 0; n < 40 * seconds; n += 1) {
			write('busy', 'line');
			jest.advanceTimersByTime(1000 / 40);
		}
		jest.advanceTimersByTime(1000);
		expect(lines).toHaveLength(1 + seconds);
		const counts = lines.slice(1).map((line) => Number(/\((\d+) of/.exec(line)?.[1]));
		expect(counts.reduce((sum, count) => sum + count, 1)).toBe(40 * seconds);
	});

	it('writes a line at once if it comes a second after the last one', () => {
		write('busy', 'first');
		jest.advanceTimersByTime(1000);
		write('busy', 'second');
		expect(lines).toEqual(['first', 'second']);
	});

	it('counts each kind on its own, and forgets it when it is over', () => {
		write('one', 'one');
		write('two', 'two');
		expect(lines).toEqual(['one', 'two']);
		expect(jest.getTimerCount()).toBe(2);
		jest.advanceTimersByTime(1000);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('does not make the text of a line that is left out', () => {
		const line = jest.fn(() => 'line');
		write('busy', 'first');
		for (let n = 0; n < 10; n += 1) limiter.call('busy', line);
		jest.advanceTimersByTime(1000);
		expect(line).toHaveBeenCalledTimes(1);
	});

	it('keeps no process alive', () => {
		jest.useRealTimers();
		const timers = jest.spyOn(global, 'setTimeout');
		write('busy', 'line');
		write('busy', 'left out');
		const made = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
		timers.mockRestore();
		expect(made.map((timer) => timer.hasRef())).toEqual([false]);
		made.forEach(clearTimeout);
	});
});
