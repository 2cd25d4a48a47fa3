/** The response to the service, by the setting, the URL, n8n's verdict and the ledger. */
import { type Acknowledge, type EntryState, ledgerKey } from '../../../lib/ledger';
import { handOverOne } from '../../../lib/receiver/batch';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';

useStoppedClock();

const KEY = ledgerKey('w', '1');
const RETENTION_MS = 60_000;

type SettleOutcome = 'accepted' | 'failed' | 'busy';
interface Response {
	readonly acknowledge: Acknowledge;
	readonly isEarly: boolean;
	readonly isOk: boolean;
}
const STORED = { acknowledge: 'stored', isEarly: true, isOk: true } as const;
const SUCCEEDED = { acknowledge: 'succeeded', isEarly: false, isOk: true } as const;

/** A claimed event, and what n8n's response for its execution means to the service. */
async function claimed() {
	const ledger = new MemoryLedger();
	const answer = await ledger.claim(KEY);
	const hold = { ledger, claims: answer.state === 'claimed' ? [answer.claim] : [] };
	return {
		ledger,
		respond: ({ isOk, ...url }: Response, wait: { waitMs?: number } = { waitMs: 0 }) => {
			const settling = { ...url, retentionMs: RETENTION_MS, ...wait };
			return handOverOne({ item: { record: {} }, hold }, settling).settle(isOk);
		},
		begin: async (acknowledge: Acknowledge = 'succeeded') => {
			await ledger.begin([KEY], { run: 'run', acknowledge, retentionMs: 1e10 });
		},
	};
}

const STATES: readonly EntryState[] = [
	...(['free', 'pending', 'stored', 'overdue', 'running'] as const),
	...(['asleep', 'interrupted', 'failed', 'done', 'begun'] as const),
];
const all = (outcome: SettleOutcome) => Object.fromEntries(STATES.map((state) => [state, outcome]));
/** n8n did not respond with a success, and the execution has to succeed. */
const UNSUCCESSFUL: Readonly<Record<string, SettleOutcome>> = {
	...{ ...all('failed'), running: 'busy' },
	...{ done: 'accepted', asleep: 'accepted' },
};

describe.each<[Response, Readonly<Record<string, SettleOutcome>>]>([
	[STORED, all('accepted')],
	[{ ...STORED, isEarly: false }, all('accepted')],
	...[true, false].map((isEarly): [Response, Readonly<Record<string, SettleOutcome>>] => [
		{ ...STORED, isEarly, isOk: false },
		{
			...all('accepted'),
			...{ free: 'failed', pending: 'failed', stored: 'failed', overdue: 'failed' },
		},
	]),
	[{ ...SUCCEEDED, isEarly: true }, all('accepted')],
	[SUCCEEDED, { ...all('busy'), done: 'accepted', asleep: 'accepted' }],
	[{ ...SUCCEEDED, isOk: false }, UNSUCCESSFUL],
	[{ ...SUCCEEDED, isEarly: true, isOk: false }, UNSUCCESSFUL],
])('with %j', (response, outcomes) => {
	it.each(STATES)('an event that is %s by then', async (state) => {
		const { ledger, respond } = await claimed();
		ledger.put(KEY, state);
		expect(await respond(response)).toBe(outcomes[state]);
	});
});

it.each<[Response, EntryState]>([
	[STORED, 'stored'],
	[{ ...STORED, isOk: false }, 'free'],
	[{ ...SUCCEEDED, isEarly: true }, 'stored'],
	// n8n may have the execution in its queue.
	[SUCCEEDED, 'stored'],
	[{ ...SUCCEEDED, isOk: false }, 'free'],
])('with %j, an event that has not begun is %s', async (response, state) => {
	const { ledger, respond } = await claimed();
	await respond(response);
	expect(ledger.stateOf(KEY)).toBe(state);
});

it.each<[Response]>([
	[STORED],
	[{ ...STORED, isOk: false }],
	[SUCCEEDED],
	[{ ...SUCCEEDED, isOk: false }],
])('with %j, an event whose execution has failed is due again in a minute', async (response) => {
	const { ledger, respond, begin } = await claimed();
	await begin();
	await ledger.end('run', 'failed');
	await respond(response);
	expect(await ledger.look(KEY)).toMatchObject({ state: 'failed', dueInMs: 60_000 });
});

describe('an execution that still runs', () => {
	it.each([true, false])('is waited for, whether n8n reports a success: %s', async (isOk) => {
		const { ledger, respond, begin } = await claimed();
		await begin();
		const settled = jest.fn();
		void respond({ ...SUCCEEDED, isOk }, {}).then(settled);
		await jest.advanceTimersByTimeAsync(19_000);
		expect(settled).not.toHaveBeenCalled();
		await ledger.end('run', 'succeeded');
		await jest.advanceTimersByTimeAsync(500);
		expect(settled).toHaveBeenCalledWith('accepted');
	});

	it('is waited for during 20 s, and then the service has to retry', async () => {
		const { ledger, respond, begin } = await claimed();
		await begin();
		const settled = jest.fn();
		void respond({ ...SUCCEEDED, isOk: false }, {}).then(settled);
		await jest.advanceTimersByTimeAsync(19_000);
		const looks = ledger.count('look');
		expect(looks).toBeGreaterThan(75);
		expect(settled).not.toHaveBeenCalled();
		await jest.advanceTimersByTimeAsync(1_000);
		expect(settled).toHaveBeenCalledWith('busy');
		await jest.advanceTimersByTimeAsync(60_000);
		expect(ledger.count('look')).toBeLessThan(looks + 10);
		expect(ledger.stateOf(KEY)).toBe('running');
	});

	it('is not waited for if it need only be stored', async () => {
		const { ledger, respond, begin } = await claimed();
		await begin('stored');
		expect(await respond({ ...STORED, isOk: false }, {})).toBe('accepted');
		expect(ledger.count('look')).toBe(1);
	});
});

describe('while the ledger is down', () => {
	it.each<[Response, SettleOutcome, EntryState]>([
		[STORED, 'accepted', 'stored'],
		[{ ...STORED, isOk: false }, 'failed', 'free'],
		[SUCCEEDED, 'busy', 'stored'],
		[{ ...SUCCEEDED, isOk: false }, 'failed', 'free'],
	])('with %j, the response is %s after 2 s, and the event %s later', async (...row) => {
		const [response, outcome, state] = row;
		const { ledger, respond } = await claimed();
		ledger.failing = true;
		const settled = jest.fn();
		void respond(response, {}).then(settled);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(settled).toHaveBeenCalledWith(outcome);
		expect(ledger.stateOf(KEY)).toBe('pending');
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(2_000);
		expect(ledger.stateOf(KEY)).toBe(state);
	});

	it('the execution that an earlier look found running is waited for no longer', async () => {
		const { ledger, respond, begin } = await claimed();
		await begin();
		const settled = jest.fn();
		void respond({ ...SUCCEEDED, isOk: false }, {}).then(settled);
		await jest.advanceTimersByTimeAsync(1_000);
		ledger.failing = true;
		await jest.advanceTimersByTimeAsync(1_000);
		expect(settled).toHaveBeenCalledWith('failed');
	});
});
