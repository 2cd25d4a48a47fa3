/** The IDs of a list, in bytes. */
import fc from 'fast-check';
import { IdSet } from '../../../lib/shared/idSet';
import { collectGarbage } from '../../support/garbage';

/** Long ones repeat a few characters, which takes a tenth of the time to make up. */
const id = fc
	.tuple(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.integer({ min: 1, max: 25 }))
	.map(([text, times]) => text.repeat(times));
/** Some of them again. */
const ids = fc.array(fc.oneof(id, fc.constantFrom('a', 'ab', 'b', 'é')), { maxLength: 600 });

it('knows those that were added, and no others', () => {
	fc.assert(
		fc.property(ids, (all) => {
			const [added, known] = [new IdSet(), new Set<string>()];
			const isNew = all.map((id) => !known.has(id) && known.add(id) === known);
			expect(all.map((id) => added.add(id))).toEqual(isNew);
			expect(all.filter((id) => added.add(id))).toEqual([]);
		}),
	);
});

it('has a hundred thousand outside of the heap', async () => {
	const id = (n: number) => `whevt_01HZX3K8M2N4P6Q8R0S2T4${n}`;
	const added = new IdSet();
	added.add('');
	await collectGarbage();
	const before = process.memoryUsage().heapUsed;
	let count = 0;
	for (let n = 0; n < 100_000; n++) if (added.add(id(n))) count += 1;
	await collectGarbage();
	expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 20);
	expect(count).toBe(100_000);
	const again = Array.from({ length: 100_000 }, (_unused, n) => n).filter((n) => added.add(id(n)));
	expect(again).toEqual([]);
	expect(added.add(id(100_000))).toBe(true);
});

it('makes room for an ID before it writes it, however little is left', () => {
	const id = '\u20ac'.repeat(20);
	// The first 3 KiB, but for a few bytes: an ID takes six more than its text, here three a character.
	for (let characters = 988; characters * 3 + 6 <= 3 * 1024; characters += 1) {
		const added = new IdSet();
		added.add('\u20ac'.repeat(characters));
		expect([added.add(id), added.add(id), added.add(`${id}.`)]).toEqual([true, false, true]);
	}
});
