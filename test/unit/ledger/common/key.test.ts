import fc from 'fast-check';
import { ledgerKey } from '../../../../lib/ledger';
import { casesOf } from '../../../support/cases';
import { MemoryLedger } from '../memoryLedger';

describe('ledgerKey', () => {
	it('gives 43 characters of base64url whatever the length of the id', () => {
		for (const id of ['1', 'whevt_1', 'x'.repeat(1_000_000), '', '\u0000', '日本語']) {
			expect(ledgerKey('workflow', id)).toMatch(/^[A-Za-z0-9_-]{43}$/);
		}
	});

	it('gives the same key for the same workflow and id', () => {
		expect(ledgerKey('workflow', 'whevt_1')).toBe(ledgerKey('workflow', 'whevt_1'));
	});

	it('keeps its form, which the entries of a ledger have', () => {
		expect(ledgerKey('workflow', 'whevt_1')).toBe('h8diSee1las-E66VAKyeFqdfhoF0YRSeBROLVQ6FzTE');
	});

	it('separates its parts, wherever one ends and the next begins', () => {
		const keys = [
			ledgerKey('a', 'bc'),
			ledgerKey('ab', 'c'),
			ledgerKey('', 'abc'),
			ledgerKey('abc', ''),
			ledgerKey('a2:b', 'c'),
			ledgerKey('a', '2:bc'),
		];
		expect(new Set(keys).size).toBe(keys.length);
	});

	it('distinguishes IDs that differ only in half a character', () => {
		expect(ledgerKey('a', '\ud800')).not.toBe(ledgerKey('a', '\ud801'));
	});

	it('gives different keys for any two different workflows and ids', () => {
		const part = fc.string({ unit: 'binary' });
		const parts = fc.tuple(part, part);
		fc.assert(
			fc.property(parts, parts, ([scope, id], [otherScope, otherId]) => {
				const same = scope === otherScope && id === otherId;
				expect(ledgerKey(scope, id) === ledgerKey(otherScope, otherId)).toBe(same);
			}),
			{ numRuns: casesOf({ few: 250, all: 2_000 }) },
		);
	});
});

describe('what is to be a key', () => {
	const key = ledgerKey('workflow', 'whevt_1');

	it.each(['', 'whevt_1', `${key}x`, `x${key}`, key.slice(1), key.replace(/.$/, '/')])(
		'is refused otherwise: %j',
		async (text) => {
			const ledger = new MemoryLedger();
			const refused = new TypeError('A ledger key comes from ledgerKey()');
			await expect(ledger.look(text)).rejects.toThrow(refused);
			await expect(ledger.claim(text)).rejects.toThrow(refused);
			await ledger.close();
		},
	);
});
