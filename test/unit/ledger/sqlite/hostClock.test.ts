import { ledgerKey } from '../../../../lib/ledger';
import type { EventLedger } from '../../../../lib/ledger/eventLedger';
import { hostClock } from '../../../../lib/ledger/sqlite/hostClock';
import { BEGINNING, claimed, commit, openSqlite, SqliteWorld } from './world';

const DAY_MS = 24 * 60 * 60_000;
const START = Date.UTC(2026, 0, 1);

/** The clocks of a host that a test sets. */
class Host {
	wallMs: number;
	monotonicMs = 5_000;
	uptimeMs = 5_400;
	readonly jumps: number[] = [];
	readonly clock: ReturnType<typeof hostClock>;

	constructor(wallMs = START) {
		this.wallMs = wallMs;
		this.clock = hostClock(
			(ms) => this.jumps.push(ms),
			() => this.wallMs,
			() => this.monotonicMs,
			() => this.uptimeMs,
		);
	}

	pass(ms: number): void {
		this.wallMs += ms;
		this.monotonicMs += ms;
		this.uptimeMs += ms;
	}

	/** The monotonic clock stands still meanwhile. */
	suspend(ms: number): void {
		this.wallMs += ms;
		this.uptimeMs += ms;
	}
}

describe('the clock of the host', () => {
	let host: Host;

	beforeEach(() => {
		host = new Host();
	});

	const now = () => host.clock.now() - START;

	it('is the wall clock, however long it runs', () => {
		host.pass(400 * DAY_MS);
		expect(now()).toBe(400 * DAY_MS);
		expect(host.jumps).toEqual([]);
	});

	it('continues with the time before it was set 40 days ahead, and says so once', () => {
		host.pass(1_000);
		host.wallMs += 40 * DAY_MS;
		expect(now()).toBe(1_000);
		host.pass(1_000);
		expect(now()).toBe(2_000);
		expect(host.jumps).toEqual([40 * DAY_MS]);
		host.wallMs -= 40 * DAY_MS;
		expect(now()).toBe(2_000);
		host.wallMs += 50 * DAY_MS;
		expect(now()).toBe(2_000);
		expect(host.jumps).toHaveLength(1);
	});

	it('follows a correction of up to a day, and any correction back', () => {
		host.wallMs += DAY_MS;
		expect(now()).toBe(DAY_MS);
		host.wallMs -= 40 * DAY_MS;
		expect(now()).toBe(-39 * DAY_MS);
		expect(host.jumps).toEqual([]);
	});

	it('is the wall clock after the host was suspended for days', () => {
		host.suspend(3 * DAY_MS);
		host.pass(1_000);
		expect(now()).toBe(3 * DAY_MS + 1_000);
		expect(host.jumps).toEqual([]);
		host.wallMs += 40 * DAY_MS;
		expect(now()).toBe(3 * DAY_MS + 1_000);
		expect(host.jumps).toEqual([40 * DAY_MS]);
	});

	it('is by default that of this host, whose processes share the monotonic clock and the boot', () => {
		const [one, other] = [hostClock(), hostClock()];
		const before = Date.now();
		expect(one.now()).toBeGreaterThanOrEqual(before);
		expect(one.now()).toBeLessThanOrEqual(Date.now());
		expect(other.monotonic() - one.monotonic()).toBeLessThan(1_000);
		expect(other.boot).toBe(one.boot);
		if (process.platform === 'linux') expect(one.boot).toMatch(/^[\da-f-]{36}$/);
	});

	it('set ahead by 40 days lets no entry of the ledger expire, nor become overdue', async () => {
		const world = new SqliteWorld();
		const ledger = openSqlite(world.path, { clock: host.clock });
		const key = ledgerKey('workflow', 'whevt_1');
		await commit(ledger, key);
		host.wallMs += 40 * DAY_MS;
		expect(await ledger.claim(key)).toEqual({ state: 'committed' });
		expect((await ledger.look(key)).state).toBe('stored');
		await ledger.begin([key], BEGINNING);
		host.pass(DAY_MS);
		expect((await ledger.look(key)).state).toBe('free');
		expect(host.jumps).toHaveLength(1);
		await ledger.close();
		await world.remove();
	});
});

describe('an event that was committed', () => {
	let world: SqliteWorld;
	const key = ledgerKey('workflow', 'whevt_1');
	/** In a process that is started when the clock of the host says so. */
	const inProcess = async <T>(dayOff: number, work: (ledger: EventLedger) => Promise<T>) => {
		const host = new Host(START + dayOff * DAY_MS);
		const ledger = openSqlite(world.path, { clock: host.clock });
		const result = await work(ledger);
		await ledger.close();
		return result;
	};
	const keepFor = 35 * DAY_MS;
	const commitNow = async (ledger: EventLedger) => {
		await ledger.commit([await claimed(ledger, key)], keepFor);
		await ledger.begin([key], { ...BEGINNING, retentionMs: keepFor });
		await ledger.end(BEGINNING.run, 'succeeded');
		await ledger.swapRecord('name', undefined, 'text', keepFor);
	};
	const known = async (ledger: EventLedger) => [
		(await ledger.claim(key)).state,
		await ledger.readRecord('name'),
	];
	/** Reads and writes enough that the sweeper has come by. */
	const use = async (ledger: EventLedger) => {
		for (let n = 0; n < 600; n++) await ledger.claim(ledgerKey('other', `${Math.random()}`));
	};

	beforeEach(() => {
		world = new SqliteWorld();
	});
	afterEach(() => world.remove());

	it.each([
		['40 days behind', -40],
		['40 days ahead', 40],
	])('while the clock was %s is known when the clock is right', async (_when, dayOff) => {
		await inProcess(0, (ledger) => ledger.look(key));
		await inProcess(dayOff, commitNow);
		await inProcess(0, use);
		expect(await inProcess(0, known)).toEqual(['committed', 'text']);
	});

	it.each([
		['40 days behind', -40],
		['40 days ahead', 40],
	])('is known while the clock is %s, and afterwards', async (_when, dayOff) => {
		await inProcess(0, commitNow);
		await inProcess(dayOff, use);
		expect(await inProcess(dayOff, known)).toEqual(['committed', 'text']);
		expect(await inProcess(0, known)).toEqual(['committed', 'text']);
	});

	it('into a file that was made while the clock was 40 days behind is known when it is right', async () => {
		await inProcess(-40, commitNow);
		await inProcess(0, use);
		expect(await inProcess(0, known)).toEqual(['committed', 'text']);
	});

	it('is forgotten after its time when the ledger is used each day, whatever the processes', async () => {
		await inProcess(0, commitNow);
		for (let day = 1; day <= 34; day++) await inProcess(day, (ledger) => ledger.look(key));
		expect(await inProcess(34, known)).toEqual(['committed', 'text']);
		expect(await inProcess(35, known)).toEqual(['claimed', undefined]);
	});
});
