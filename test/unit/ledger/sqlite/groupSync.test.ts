import { setImmediate as turn } from 'node:timers/promises';
import { GroupSync } from '../../../../lib/ledger/sqlite/checkpoint';

describe('a sync for all who wait', () => {
	let begun: { end(): void; fail(): void }[];
	let group: GroupSync;
	let reached: string[];

	beforeEach(() => {
		begun = [];
		reached = [];
		group = new GroupSync(
			() =>
				new Promise((resolve, reject) => {
					begun.push({
						end: resolve,
						fail: () => {
							reject(new Error('The disk failed'));
						},
					});
				}),
		);
	});

	function ask(name: string): Promise<void> {
		return group.reached().then(() => {
			reached.push(name);
		});
	}

	it('is one for all who ask at the same moment', async () => {
		const all = [ask('a'), ask('b'), ask('c')];
		await turn();
		expect(begun).toHaveLength(1);
		begun[0]?.end();
		await Promise.all(all);
		expect(reached).toEqual(['a', 'b', 'c']);
	});

	it('does not count for those who ask while it is under way: they get the next one, together', async () => {
		const first = ask('first');
		await turn();
		const late = [ask('late'), ask('later')];
		await turn();
		expect(begun).toHaveLength(1);
		begun[0]?.end();
		await first;
		await turn();
		expect(reached).toEqual(['first']);
		expect(begun).toHaveLength(2);
		begun[1]?.end();
		await Promise.all(late);
		expect(reached).toEqual(['first', 'late', 'later']);
	});

	it('never runs twice at the same time', async () => {
		const asked: Promise<void>[] = [];
		for (let n = 0; n < 5; n++) {
			asked.push(ask(String(n)));
			await turn();
		}
		expect(begun).toHaveLength(1);
		begun[0]?.end();
		await turn();
		expect(begun).toHaveLength(2);
		begun[1]?.end();
		await Promise.all(asked);
		expect(begun).toHaveLength(2);
	});

	it('that fails is an error for all who waited for it, and the next one works', async () => {
		const failed = [ask('a'), ask('b')].map((each) => expect(each).rejects.toThrow('disk failed'));
		await turn();
		const next = ask('c');
		begun[0]?.fail();
		await Promise.all(failed);
		await turn();
		begun[1]?.end();
		await next;
		const last = ask('d');
		await turn();
		begun[2]?.end();
		await last;
		expect(reached).toEqual(['c', 'd']);
	});

	it('is idle when no one waits any more, whatever the result', async () => {
		await group.idle();
		const running = expect(ask('running')).rejects.toThrow('disk failed');
		await turn();
		const next = ask('next');
		const idle = group.idle().then(() => {
			reached.push('idle');
		});
		begun[0]?.fail();
		await running;
		await turn();
		expect(reached).toEqual([]);
		begun[1]?.end();
		await Promise.all([next, idle]);
		expect(reached).toEqual(['next', 'idle']);

		const last = expect(ask('last')).rejects.toThrow('disk failed');
		await turn();
		const idleAgain = group.idle().then(() => {
			reached.push('idle again');
		});
		await turn();
		expect(reached).toHaveLength(2);
		begun[2]?.fail();
		await Promise.all([last, idleAgain]);
	});

	it('that throws at once is an error like any other', async () => {
		let broken = true;
		const sync = new GroupSync(() => {
			if (broken) throw new Error('No such file');
			return Promise.resolve();
		});
		await expect(sync.reached()).rejects.toThrow('No such file');
		broken = false;
		await sync.reached();
	});
});
