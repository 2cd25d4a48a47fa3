import { newAttempt, newToken } from '../../../../lib/ledger/common/token';

it('a token is 128 random bits as text', () => {
	const tokens = Array.from({ length: 1_000 }, newToken);
	for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
	expect(new Set(tokens).size).toBe(tokens.length);
});

it('an attempt is the execution and 64 random bits', () => {
	const attempts = Array.from({ length: 1_000 }, () => newAttempt('1234'));
	for (const attempt of attempts) expect(attempt).toMatch(/^1234:[A-Za-z0-9_-]{11}$/);
	expect(new Set(attempts).size).toBe(attempts.length);
});
