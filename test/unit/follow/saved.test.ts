import {
	advance,
	type Polled,
	positionAt,
	readSaved,
	savedFields,
	writeSaved,
} from '../../../lib/follow';
import { recordFormat } from '../../../lib/ledger';
import { object } from '../../../lib/vendor/zod';
import { MemoryLedger } from '../ledger/memoryLedger';

const FORMAT = recordFormat({ what: 'a record', number: 1 }, object(savedFields));
const STRETCH = { after: 'a', by: 6, backTo: 4, kind: 'unread' as const };
const STATE = {
	...{ as: 'retained', publishedAt: 1, polls: 4 },
	position: { ...positionAt(2), stretches: [STRETCH] },
};

it.each([undefined, '1', '1{', '1"text"', '1{"as":"now","publishedAt":"later"}'])(
	'a record that cannot be read is replaced, and read as it was written: %s',
	async (text) => {
		const ledger = new MemoryLedger();
		if (text !== undefined) ledger.records.set('key', text);
		const saved = await readSaved(ledger, 'key', FORMAT);
		expect(saved).toEqual({ format: FORMAT, text, state: undefined });
		const written = await writeSaved(ledger, 'key', saved, STATE);
		expect(written.state).toEqual(STATE);
		expect(await readSaved(ledger, 'key', FORMAT)).toEqual(written);
		// Nothing has changed.
		await writeSaved(ledger, 'key', written, { ...STATE });
		expect(ledger.count('swapRecord')).toBe(1);
	},
);

it('a record that another process wrote in between stays', async () => {
	const ledger = new MemoryLedger();
	const saved = await readSaved(ledger, 'key', FORMAT);
	ledger.records.set('key', FORMAT.write({ ...STATE, polls: 7 }));
	expect((await writeSaved(ledger, 'key', saved, STATE)).state).toBeUndefined();
	expect((await readSaved(ledger, 'key', FORMAT)).state?.polls).toBe(7);
});

it('the memory advances in time and in polls, and is written no more often than that', () => {
	const written: Polled[] = [];
	const memory = { read: () => written.at(-1), write: (polled: Polled) => written.push(polled) };
	const all = [
		[5, 1],
		[5, 1],
		[4, 1],
		[6, 1],
		[4, 2],
	] as const;
	for (const [at, polls] of all) advance(memory, { as: 'now', publishedAt: 1, at, polls });
	expect(written.map(({ at, polls }) => `${at}, ${polls}`)).toEqual(['5, 1', '6, 1', '6, 2']);
});
