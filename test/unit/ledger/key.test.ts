import fc from 'fast-check';
import { ledgerKey } from '../../../lib/ledger';

describe('ledgerKey', () => {
	it('gives 43 characters of base64url whatever the length of the id', () => {
		for (const id of ['1', 'whevt_1', 'x'.repeat(1_000_000), '', '\u0000', '日本語']) {
			expect(ledgerKey(['workflow', 'node'], id)).toMatch(/^[A-Za-z0-9_-]{43}$/);
		}
	});

	it('gives the same key for the same scope and id', () => {
		expect(ledgerKey('workflow', 'whevt_1')).toBe(ledgerKey('workflow', 'whevt_1'));
	});

	it('keeps its form, which entries of earlier versions have', () => {
		expect(ledgerKey(['workflow', 'node'], 'whevt_1')).toBe(
			'NUsdv2R25GMqSj9YDygQfIkoDB29rIR4DuC-5CqIBrA',
		);
	});

	it('tells parts from each other, wherever one ends and the next begins', () => {
		const keys = [
			ledgerKey(['a', 'b'], 'c'),
			ledgerKey('a', 'bc'),
			ledgerKey('ab', 'c'),
			ledgerKey([], 'abc'),
			ledgerKey(['a', ''], 'bc'),
			ledgerKey(['a', 'b', 'c'], ''),
			ledgerKey(['a:2', 'b'], 'c'),
		];
		expect(new Set(keys).size).toBe(keys.length);
	});

	it('tells ids apart that differ in half a character only', () => {
		expect(ledgerKey('a', '\ud800')).not.toBe(ledgerKey('a', '\ud801'));
	});

	it('gives different keys for any two different scopes and ids', () => {
		const parts = fc.tuple(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }));
		fc.assert(
			fc.property(parts, parts, ([scope, id], [otherScope, otherId]) => {
				const same = JSON.stringify([scope, id]) === JSON.stringify([otherScope, otherId]);
				expect(ledgerKey(scope, id) === ledgerKey(otherScope, otherId)).toBe(same);
			}),
			{ numRuns: 1_000 },
		);
	});
});
