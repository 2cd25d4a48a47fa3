/**
 * The contract that every store of the ledger passes: what it reads, swaps and forgets, and what it knows of sessions. What
 * becomes of an event is not its matter: the model tells that for every order of steps.
 */
import { randomUUID } from 'node:crypto';
import { changeRecord, changeRecords, ledgerKey } from '../../../lib/ledger';
import { SESSION_MS, type Vital } from '../../../lib/ledger/common/store';
import { encode } from '../../../lib/ledger/life/entry';
import type { ChangeOptions, TextStore } from '../../../lib/ledger/texts/textStore';

/** What a store provides so that the contract can be tested on it. */
interface StoreWorld {
	/** The store as another process opens it: over a connection of its own. */
	openStore(): TextStore;
	/** Lets time go by for the entries and the sessions, in milliseconds. */
	advance(ms: number): Promise<void>;
	dispose(): Promise<void>;
}

const RETENTION_MS = 30 * 24 * 60 * 60_000;
/** Further from an end than a store with a clock of its own can be off. */
const MARGIN_MS = 10_000;
const KEY = ledgerKey('workflow', 'whevt_1');
const CHANGING: ChangeOptions = {
	...{ keepMs: RETENTION_MS, isDurable: false, session: 'mine' },
	isDead: () => false,
};

/** Declares the suite; `createWorld` makes an empty store for each test. */
export function describeStoreContract(name: string, createWorld: () => Promise<StoreWorld>): void {
	describe(`the store of the ledger: ${name}`, () => {
		let world: StoreWorld;
		let store: TextStore;
		let other: TextStore;
		let opened: TextStore[];

		const open = () => {
			const made = world.openStore();
			opened.push(made);
			return made;
		};

		beforeEach(async () => {
			opened = [];
			world = await createWorld();
			store = open();
			other = open();
		});

		afterEach(async () => {
			for (const each of opened) await each.close();
			await world.dispose();
		});

		const read = async (from: TextStore, key = KEY) => {
			const [text] = await from.change([{ key }], (seen) => ({ result: seen.text }), CHANGING);
			return text;
		};
		/** Returns what the step has seen, in order. */
		const write = async (text: string | null, options: Partial<ChangeOptions> = {}) => {
			const seen: unknown[] = [];
			const update = (each: { readonly text: string | undefined }) => {
				seen.push(each.text);
				return { result: undefined, text };
			};
			await store.change([{ key: KEY }], update, { ...CHANGING, ...options });
			return seen;
		};

		describe('an entry', () => {
			it('is read by every process as it was written, changed and removed, each key by itself', async () => {
				expect(await write('one')).toEqual([undefined]);
				expect(await read(other)).toBe('one');
				expect(await write('two')).toEqual(['one']);
				expect(await read(other)).toBe('two');
				expect(await read(other, ledgerKey('workflow', 'whevt_2'))).toBeUndefined();
				await write(null);
				expect(await read(other)).toBeUndefined();
				expect(await write(null)).toEqual([undefined]);
			});

			it('is one of many, whose results are in the order of the keys', async () => {
				const keys = Array.from({ length: 100 }, (_, n) => ({ key: ledgerKey('many', `${n}`), n }));
				const add = (
					seen: { readonly text: string | undefined },
					{ n }: { readonly n: number },
				) => ({
					result: seen.text,
					text: `${n}`,
				});
				const thirds = keys.filter(({ n }) => n % 3 === 0);
				await other.change(thirds, add, CHANGING);
				expect(await store.change(keys, add, CHANGING)).toEqual(
					keys.map(({ n }) => (n % 3 === 0 ? `${n}` : undefined)),
				);
				expect(await store.change([], add, CHANGING)).toEqual([]);
			});

			it('takes the changes of many processes at once one after the other, and loses none', async () => {
				const stores = [store, other, open()];
				// A text that two of them would write is one change.
				const adding = Array.from({ length: 60 }, async (_, n) =>
					(stores[n % 3] ?? store).change(
						[{ key: KEY }],
						({ text = '' }) => ({ result: text, text: `${text}${n},` }),
						{ ...CHANGING, isDurable: n % 2 === 0 },
					),
				);
				const seen = (await Promise.all(adding)).flat();
				const all = (await read(store)) ?? '';
				const parts = all.split(',').slice(0, -1);
				expect(parts).toHaveLength(60);
				// Each has seen what was there when it was added.
				const before = parts.map((_part, n) =>
					parts
						.slice(0, n)
						.map((part) => `${part},`)
						.join(''),
				);
				expect(seen.sort((a, b) => a.length - b.length)).toEqual(before);
			});

			it.each([
				['right', 'kept', ['kept']],
				['wrong', 'other', ['other', 'kept']],
				['wrongly none', undefined, [undefined, 'kept']],
			])('is changed from a guess that is %s', async (_how, guess, seen) => {
				await write('kept');
				const given = await write('next', { guess: [guess] });
				expect(given.slice(-1)).toEqual(['kept']);
				expect(seen).toEqual(expect.arrayContaining(given));
				expect(await read(other)).toBe('next');
			});

			it('is looked at itself when a guess needs no change', async () => {
				await write('kept');
				const options = { ...CHANGING, guess: ['guess'] };
				const look = (seen: { readonly text: string | undefined }) => ({ result: seen.text });
				expect(await store.change([{ key: KEY }], look, options)).toEqual(['kept']);
			});

			it('is kept as long as the last change asks for, and no shorter than another did', async () => {
				await write('one');
				await write('two', { keepMs: 1_000 });
				await world.advance(RETENTION_MS - MARGIN_MS);
				expect(await read(other)).toBe('two');
				await write('three', { keepMs: 2 * MARGIN_MS });
				await world.advance(2 * MARGIN_MS - 1_000);
				expect(await read(other)).toBe('three');
				await world.advance(MARGIN_MS);
				expect(await read(other)).toBeUndefined();
				expect((await write('four', { guess: ['three'] })).at(-1)).toBeUndefined();
				expect(await read(other)).toBe('four');
			});

			it('is there when every process has closed the store, which is opened again', async () => {
				await write('kept', { isDurable: true });
				await store.close();
				await other.close();
				expect(await read(store)).toBe('kept');
			});
		});

		describe('the holder of an entry', () => {
			const held = (kind: 'pending' | 'running' | 'stored', holder: string) =>
				encode({
					...{ kind, at: 0, grace: 0, attempts: 0, repeats: false, reopenings: 0 },
					holder,
				});
			/** What another process learns about its session, and whether it takes that for dead then. */
			const learn = async (kind: 'pending' | 'running' | 'stored', holder = 'theirs') => {
				await write(held(kind, holder));
				const vitals: Vital[] = [];
				const isDead = (vital: Vital) => vitals.push(vital) > 0;
				const options = { ...CHANGING, isDead };
				const [isHolderDead] = await other.change(
					[{ key: KEY }],
					(seen) => ({ result: seen.isHolderDead }),
					options,
				);
				return [...vitals, isHolderDead];
			};

			it('is what its session is, while the entry is pending or running', async () => {
				expect(await learn('pending')).toEqual(['gone', true]);
				await store.renewSession('theirs');
				expect(await learn('pending')).toEqual(['alive', true]);
				expect(await learn('running')).toEqual(['alive', true]);
				await store.closeSession('theirs');
				expect(await learn('running')).toEqual(['closed', true]);
			});

			it('is never dead for itself, and does not matter for an entry that nobody holds', async () => {
				expect(await learn('running', 'mine')).toEqual([false]);
				expect(await learn('stored')).toEqual([false]);
			});

			it('lives for a minute from each renewal, which says whether it was alive', async () => {
				expect(await store.renewSession('theirs')).toBe(false);
				await world.advance(SESSION_MS - MARGIN_MS);
				expect(await store.renewSession('theirs')).toBe(true);
				await world.advance(SESSION_MS - MARGIN_MS);
				expect(await learn('pending')).toContain('alive');
				await world.advance(2 * MARGIN_MS);
				expect(await learn('pending')).toContain('gone');
				expect(await store.renewSession('theirs')).toBe(false);
				expect(await learn('pending')).toContain('alive');
			});
		});

		describe('a record', () => {
			it('is kept for everybody until it is replaced or removed', async () => {
				expect(await other.readRecord('name')).toBeUndefined();
				expect(await store.swapRecord('name', undefined, 'one')).toBe(true);
				expect(await other.readRecord('name')).toBe('one');
				await world.advance(RETENTION_MS + MARGIN_MS);
				expect(await other.swapRecord('name', 'one', 'two')).toBe(true);
				expect(await store.readRecord('name')).toBe('two');
				expect(await store.swapRecord('name', 'two', undefined)).toBe(true);
				expect(await other.readRecord('name')).toBeUndefined();
				expect(await other.swapRecord('name', undefined, undefined)).toBe(true);
			});

			it('is kept as long as a write asks for, and no shorter because of a later one', async () => {
				expect(await store.swapRecord('name', undefined, 'one', RETENTION_MS)).toBe(true);
				await world.advance(RETENTION_MS - MARGIN_MS);
				expect(await other.swapRecord('name', 'one', 'two', RETENTION_MS)).toBe(true);
				await world.advance(RETENTION_MS - MARGIN_MS);
				expect(await store.swapRecord('name', 'two', 'three', 1)).toBe(true);
				expect(await store.swapRecord('name', 'three', 'four')).toBe(true);
				expect(await other.readRecord('name')).toBe('four');
				await world.advance(2 * MARGIN_MS);
				expect(await other.readRecord('name')).toBeUndefined();
				expect(await other.swapRecord('name', 'four', 'five', RETENTION_MS)).toBe(false);
				expect(await other.swapRecord('name', undefined, 'five')).toBe(true);
				await world.advance(RETENTION_MS + MARGIN_MS);
				expect(await store.readRecord('name')).toBe('five');
			});

			it('is not replaced when another has changed it', async () => {
				await store.swapRecord('name', undefined, 'one');
				expect(await other.swapRecord('name', undefined, 'two')).toBe(false);
				expect(await other.swapRecord('name', undefined, undefined)).toBe(false);
				expect(await other.swapRecord('name', 'zero', 'two')).toBe(false);
				expect(await other.swapRecord('name', 'zero', undefined)).toBe(false);
				expect(await store.readRecord('name')).toBe('one');
			});

			it('is replaced by exactly one of many', async () => {
				await store.swapRecord('name', undefined, 'start');
				const swaps = Array.from({ length: 20 }, (_, n) =>
					(n % 2 ? store : other).swapRecord('name', 'start', `${n}`),
				);
				expect((await Promise.all(swaps)).filter((swapped) => swapped)).toHaveLength(1);
			});

			it('adds up concurrent changes', async () => {
				const add = (text = '0 ') => `${parseInt(text, 10) + 1} ${randomUUID()}`;
				await Promise.all(
					Array.from({ length: 10 }, (_, n) => changeRecord(n % 2 ? store : other, 'sum', add)),
				);
				expect(await store.readRecord('sum')).toMatch(/^10 /);
			});

			it('is changed with others, and again by itself if another has changed it', async () => {
				await store.swapRecord('first', undefined, 'a');
				const seen: (string | undefined)[] = [];
				const next = async (text: string | undefined, key: string) => {
					seen.push(`${key} ${text}`);
					if (seen.length === 1) await other.swapRecord('second', undefined, 'b');
					if (seen.length === 2) await other.swapRecord('first', 'a', 'c');
					return key === 'third' ? undefined : `${text} ${key}`;
				};
				await changeRecords(store, ['first', 'second', 'third'], next);
				const tried = ['first a', 'second undefined', 'third undefined'];
				expect(seen).toEqual([...tried, 'first c', 'second b']);
				expect(await store.readRecord('first')).toBe('c first');
				expect(await store.readRecord('second')).toBe('b second');
				expect(await store.readRecord('third')).toBeUndefined();
			});
		});
	});
}
