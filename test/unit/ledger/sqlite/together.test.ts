import { Together } from '../../../../lib/ledger/sqlite/ledgerFile';

/** Notes what is done, and how. */
class FakeDatabase {
	readonly done: string[] = [];

	transaction(work: () => void): void {
		this.done.push('begin');
		work();
		this.done.push('commit');
	}
}

function setUp(attempts = 1) {
	const database = new FakeDatabase();
	let runs = 0;
	const together = new Together<FakeDatabase>(async (work) => {
		runs += 1;
		for (let n = 0; n < attempts; n++) work(database);
		await Promise.resolve();
	});
	const add = (name: string) =>
		together.run(({ done }) => {
			done.push(name);
			return `${name} ${done.length}`;
		});
	return { database, together, add, runs: () => runs };
}

it('does the work of one moment in one transaction, in order, and returns each result', async () => {
	const { add, database, runs } = setUp();
	expect(await Promise.all([add('a'), add('b'), add('c')])).toEqual(['a 2', 'b 3', 'c 4']);
	expect(database.done).toEqual(['begin', 'a', 'b', 'c', 'commit']);
	expect(runs()).toBe(1);
});

it('does the work of a single caller without a transaction', async () => {
	const { add, database } = setUp();
	await add('a');
	await add('b');
	expect(database.done).toEqual(['a', 'b']);
});

it('returns the result of the last attempt', async () => {
	const { add } = setUp(2);
	expect(await add('a')).toBe('a 2');
});

it('gives the error of one to all callers of the moment, and to none after it', async () => {
	const { add, together } = setUp();
	const error = new Error('The disk is full');
	const fails = together.run(() => {
		throw error;
	});
	const [failed, other] = await Promise.allSettled([fails, add('a')]);
	expect(failed).toEqual({ status: 'rejected', reason: error });
	expect(other).toEqual({ status: 'rejected', reason: error });
	expect(await add('b')).toMatch(/^b/);
});
