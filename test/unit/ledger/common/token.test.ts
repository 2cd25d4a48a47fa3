import { newToken } from '../../../../lib/ledger/common/token';

it('a token is 128 random bits as text', () => {
	const tokens = Array.from({ length: 1_000 }, newToken);
	for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
	expect(new Set(tokens).size).toBe(tokens.length);
});
