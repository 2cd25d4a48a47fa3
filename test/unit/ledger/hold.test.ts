import { commitHold, type Hold, ledgerKey, releaseHold } from '../../../lib/ledger';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEYS = [ledgerKey('w', '1'), ledgerKey('w', '2')];
const RETENTION_MS = 1_000_000_000;

describe.each([
	['commit', (hold: Hold) => commitHold(hold, RETENTION_MS), 'stored'],
	['release', releaseHold, 'free'],
] as const)('the %s of claims', (method, settle, state) => {
	let ledger: MemoryLedger;
	let hold: Hold;
	let isOver: boolean;

	/** What is still to be written would be tried by the next test. */
	afterEach(async () => {
		[ledger.failing, ledger.losing] = [false, false];
		await jest.advanceTimersByTimeAsync(1_000);
	});
	useStoppedClock();

	beforeEach(async () => {
		ledger = new MemoryLedger();
		const answers = await Promise.all(KEYS.map((key) => ledger.claim(key)));
		hold = {
			ledger,
			claims: answers.flatMap((each) => (each.state === 'claimed' ? [each.claim] : [])),
		};
		isOver = false;
	});

	const states = () => KEYS.map((key) => ledger.stateOf(key));
	const start = () => {
		void settle(hold).then(() => (isOver = true));
	};

	it('is one call to the ledger', async () => {
		await settle(hold);
		expect(states()).toEqual([state, state]);
		expect(ledger.count(method)).toBe(1);
	});

	it.each(['failing', 'hanging'] as const)(
		'keeps its caller waiting for 2 s, no longer, with a store that is %s',
		async (broken) => {
			ledger[broken] = true;
			start();
			await jest.advanceTimersByTimeAsync(1_990);
			expect(isOver).toBe(false);
			await jest.advanceTimersByTimeAsync(20);
			expect(isOver).toBe(true);
		},
	);

	it('returns when it is written if that takes less', async () => {
		ledger.failing = true;
		start();
		await jest.advanceTimersByTimeAsync(900);
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(1_000);
		expect(isOver).toBe(true);
		expect(states()).toEqual([state, state]);
	});

	it('changes nothing more when a lost response makes it happen twice', async () => {
		ledger.losing = true;
		start();
		await jest.advanceTimersByTimeAsync(5_000);
		expect(ledger.count(method)).toBeGreaterThan(1);
		expect(states()).toEqual([state, state]);
	});
});
