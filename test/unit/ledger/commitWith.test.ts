import { type ClaimHold, claimOrWait } from '../../../lib/ledger';
import { Leases } from '../../../lib/ledger/leases';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const RETENTION_MS = 1_000_000;

describe('claims that are committed together', () => {
	useStoppedClock();
	const ids = ['one', 'two', 'three'];
	let ledger: MemoryLedger;
	let first: ClaimHold;
	let others: ClaimHold[];

	beforeEach(async () => {
		ledger = new MemoryLedger();
		const leases = new Leases();
		const held = async (id: string) => {
			const claim = await claimOrWait(ledger, id, { leases });
			if (claim.outcome !== 'claimed') throw new Error(`The event is ${claim.outcome}`);
			return claim.hold;
		};
		first = await held('one');
		others = [await held('two'), await held('three')];
	});

	const states = () => ids.map((id) => ledger.entries.get(id)?.state);

	it('are stored by one call of the ledger, and are not renewed any more', async () => {
		await first.commitWith(others, RETENTION_MS);
		expect(states()).toEqual(['stored', 'stored', 'stored']);
		expect(ledger.count('commitAll')).toBe(1);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('are each tried again by themselves when that failed', async () => {
		jest.spyOn(ledger, 'commitAll').mockRejectedValue(new Error('away'));
		const committed = first.commitWith(others, RETENTION_MS);
		await jest.advanceTimersByTimeAsync(100);
		await committed;
		expect(states()).toEqual(['stored', 'stored', 'stored']);
	});

	it('keep no caller waiting for longer than 2 s', async () => {
		ledger.hanging = true;
		const committed = first.commitWith(others, RETENTION_MS);
		await jest.advanceTimersByTimeAsync(2_000);
		await committed;
		expect(states()).toEqual(['pending', 'pending', 'pending']);
	});
});
