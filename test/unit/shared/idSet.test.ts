/** The IDs of a list, in bytes. */
import fc from 'fast-check';
import { IdSet } from '../../../lib/shared/idSet';
import { collectGarbage } from '../../support/garbage';

/** Some of them again. */
const ids = fc.array(
	fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.constantFrom('a', 'ab', 'b', 'é')),
	{ maxLength: 600 },
);

it('knows those that were added, and no others', () => {
	fc.assert(
		fc.property(ids, (all) => {
			const [added, known] = [new IdSet(), new Set<string>()];
			for (const id of all) {
				expect(added.add(id)).toBe(!known.has(id));
				known.add(id);
			}
		}),
	);
});

it('has a hundred thousand outside of the heap', async () => {
	const id = (n: number) => `whevt_01HZX3K8M2N4P6Q8R0S2T4${n}`;
	const added = new IdSet();
	added.add('');
	await collectGarbage();
	const before = process.memoryUsage().heapUsed;
	for (let n = 0; n < 100_000; n++) added.add(id(n));
	await collectGarbage();
	expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 20);
	for (let n = 0; n < 100_000; n++) expect(added.add(id(n)) ? n : -1).toBe(-1);
	expect(added.add(id(100_000))).toBe(true);
});
