import { attemptOf, newAttempt } from '../../../../lib/ledger/life/steps';

it('an attempt names its execution, its time and 64 random bits', () => {
	const attempts = Array.from({ length: 1_000 }, () => newAttempt('1234', 1_795_400_000_000));
	for (const attempt of attempts) expect(attempt).toMatch(/^1234:mwsmsy68:[A-Za-z0-9_-]{11}$/);
	expect(new Set(attempts).size).toBe(attempts.length);
});

it('an attempt begins now', () => {
	const before = Date.now();
	const { executionId, begunAt = 0 } = attemptOf(newAttempt('7')) ?? {};
	expect(executionId).toBe('7');
	expect(begunAt).toBeGreaterThanOrEqual(before);
	expect(begunAt).toBeLessThanOrEqual(Date.now());
});

it.each([
	'',
	'baseline',
	'1234:Xk3_random',
	':mwsmsy68:random',
	'1234:-:random',
	'1234:zzzzzzzzzzzz:r',
])('%j names no execution and time', (run) => {
	expect(attemptOf(run)).toBeUndefined();
});
