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
});
