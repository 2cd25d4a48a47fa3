import fc from 'fast-check';
import { decode, encode, type Entry, holderOf } from '../../../../lib/ledger/life/entry';

const KINDS: readonly Entry['kind'][] = [
	...(['pending', 'stored', 'begun', 'running', 'asleep', 'interrupted'] as const),
	...(['failed', 'canceled', 'done'] as const),
];

const name = fc.stringMatching(/^[\w-]{1,11}$/);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const kind = fc.constantFrom(...KINDS);
const entry: fc.Arbitrary<Entry> = fc.record({
	kind,
	at: fc.maxSafeNat(),
	grace: fc.maxSafeNat(),
	attempts: fc.nat(),
	repeats: fc.boolean(),
	holder: maybe(name),
	claim: maybe(fc.integer({ min: 1 })),
	before: maybe(kind),
	/** n8n chooses the form of its execution IDs. */
	run: maybe(fc.string({ minLength: 1 })),
	reopenings: fc.nat(),
	reopenedAt: maybe(fc.integer({ min: 1 })),
});

it('an entry is the same after it was written and read', () => {
	fc.assert(
		fc.property(entry, (written) => {
			expect(decode(encode(written))).toEqual(written);
		}),
	);
});

it('the text of an entry has a holder that decides only while it is pending or running', () => {
	fc.assert(
		fc.property(entry, (written) => {
			const decides = written.kind === 'pending' || written.kind === 'running';
			expect(holderOf(encode(written))).toBe(decides ? written.holder : undefined);
		}),
	);
});

it('an entry is short', () => {
	const text = encode({
		...{ kind: 'running', at: 1_795_400_000_000, grace: 0, attempts: 1, repeats: true },
		...{ holder: 'Xk3_randomA', run: '1234567:mwsmsy68:Xk3_randomA', reopenings: 0 },
	});
	expect(text).toBe('1r+|mwsmsy68||1|Xk3_randomA||||1234567:mwsmsy68:Xk3_randomA');
});

it.each([undefined, '1', '1x', '1p', '1stored', '1s:900000:0::1:run:', '1x||||||||', '1d|||||||'])(
	'%j is no entry',
	(text) => {
		expect(decode(text)).toBeUndefined();
	},
);
