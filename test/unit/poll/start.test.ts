import { ledgerKey } from '../../../lib/ledger';
import { startEvents } from '../../../lib/poll/start';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';

const EVENTS = ['1', '2'].map((id) => ({ id, type: 'ocpp.message', record: { id } }));

describe('a hand-over that n8n does not answer, as for a queued execution that a person stopped', () => {
	useStoppedClock();

	let ledger: MemoryLedger;
	let end: (isStored: boolean) => void;

	beforeEach(async () => {
		ledger = new MemoryLedger();
		const handOver = () => new Promise<boolean>((resolve) => (end = resolve));
		void startEvents({ ledger, workflowId: 'w', batchSize: 2, handOver }, EVENTS);
		await jest.advanceTimersByTimeAsync(29_000);
	});

	const states = async () =>
		await Promise.all(EVENTS.map(async ({ id }) => await ledger.look(ledgerKey('w', id))));

	it('counts as stored after 30 s, not before, and is held no longer', async () => {
		expect(await states()).toEqual(['pending', 'pending']);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(await states()).toEqual(['stored', 'stored']);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is given back when n8n reports after that that it was not stored', async () => {
		await jest.advanceTimersByTimeAsync(2_000);
		end(false);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(await states()).toEqual(['overdue', 'overdue']);
	});

	it('is committed once when it ends before', async () => {
		end(true);
		await jest.advanceTimersByTimeAsync(5_000);
		expect(await states()).toEqual(['stored', 'stored']);
		expect(ledger.count('commitAll')).toBe(1);
		expect(jest.getTimerCount()).toBe(0);
	});
});
