/** Processes that are killed, and two that poll at once, over one SQLite file: each incident starts one execution for each item. `TIMES` sets how often, 5 by default. */
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { Session } from '../../../lib/ledger/session';
import { SqliteStore } from '../../../lib/ledger/sqlite/store';
import type * as station from '../../../lib/station';
import { SqliteWorld } from '../ledger/sqlite/world';
import { back, lost, stationWorld, time } from './stationWorld';

const TIMES = Number(process.env['TIMES'] ?? 5);
const SECOND = 1_000;
const KILLED = new Error('killed');
const UNTIL = time('09:32');
const SLOW_MS = 240_000;

type Place = 'after a shard' | 'before the head' | 'after n8n stored the execution';

interface Own {
	isKilled: boolean;
	atWrite: (place: Place) => void;
}

/** A process on the file: its store, and its session, which lives by the clock of the world. */
function openProcess(path: string, clock: () => number) {
	const store = new SqliteStore({ path, clock: { now: clock, monotonic: clock, boot: 'boot' } });
	const session = new Session(store, { onLost: () => undefined, clock });
	const own: Own = { isKilled: false, atWrite: () => undefined };
	const write = store.swapRecord.bind(store);
	const change = store.change.bind(store);
	const renew = store.renewSession.bind(store);
	const live = () => {
		if (own.isKilled) throw KILLED;
	};
	store.swapRecord = async (...swap) => {
		live();
		if (swap[0].endsWith(':head')) own.atWrite('before the head');
		live();
		const isWritten = await write(...swap);
		if (isWritten && !swap[0].endsWith(':head')) own.atWrite('after a shard');
		live();
		return isWritten;
	};
	store.change = async (...args) => {
		live();
		return await change(...args);
	};
	store.renewSession = async (name) => {
		live();
		return await renew(name);
	};
	return { own, store, session, ledger: new EventLedger({ store, session }) };
}

function killedWorld() {
	const sqlite = new SqliteWorld();
	const processes: ReturnType<typeof openProcess>[] = [];
	const world = stationWorld({
		openLedger: (clock) => {
			const opened = openProcess(sqlite.path, clock);
			processes.push(opened);
			return opened.ledger;
		},
	});
	world.now = time('08:55');
	world.events = [lost('08:00', 's0'), back('08:50', 's0'), lost('09:00:10'), back('09:20')];
	return {
		world,
		processes,
		/** To the next full minute; the sessions of living processes are renewed. */
		pass: async () => {
			for (let step = 0; step < 12; step++) {
				world.now += 5 * SECOND;
				for (const { own, session } of processes) if (!own.isKilled) await session.open();
			}
		},
		close: async () => {
			for (const { own, session, store } of processes) {
				if (!own.isKilled) await session.close();
				await store.close();
			}
			await sqlite.remove();
		},
	};
}

/** Polls each minute; the process is killed once at that place, from that time on. Returns what has begun. */
async function storyWithKill(place: Place, from: number, waitPolls: number) {
	const { world, processes, pass, close } = killedWorld();
	let [isOver, kills] = [false, 0];
	const stored: { readonly items: Record<string, unknown>[]; polls: number }[] = [];
	const kill = (at: Place) => {
		const { own } = processes.at(-1) ?? {};
		if (own === undefined || isOver || at !== place || world.now < from) return;
		isOver = true;
		kills += 1;
		own.isKilled = true;
		throw KILLED;
	};
	const watch = () => {
		const { own } = processes.at(-1) ?? {};
		if (own)
			own.atWrite = (at) => {
				kill(at);
			};
	};
	watch();
	world.fate = async (items) => {
		if (place !== 'after n8n stored the execution' || isOver || world.now < from)
			return 'succeeded';
		stored.push({ items, polls: waitPolls });
		kill(place);
		return undefined;
	};
	try {
		while (world.now <= UNTIL) {
			await world.poll().catch((error: unknown) => {
				if (error !== KILLED) throw error;
			});
			if (processes.at(-1)?.own.isKilled) {
				world.restart();
				watch();
			}
			// n8n runs what it has stored, sooner or later.
			for (const each of stored.splice(0)) {
				if (each.polls > 0) stored.push({ ...each, polls: each.polls - 1 });
				else await world.run(each.items, 'succeeded');
			}
			await pass();
		}
	} finally {
		await close();
	}
	return { kills, reported: world.items() };
}

const STATES = ['opened', 'resolved'];

describe.each<Place>(['after a shard', 'before the head', 'after n8n stored the execution'])(
	'a process that is killed %s',
	(place) => {
		it(
			'starts one execution for each item with its successor',
			async () => {
				const stories = await Promise.all(
					Array.from({ length: TIMES }, (_unused, n) =>
						// From before the incident begins until it resolves.
						storyWithKill(place, time('08:56') + n * 84 * SECOND, n % 5),
					),
				);
				for (const { kills, reported } of stories) {
					expect(kills).toBe(1);
					expect(reported.map(({ state }) => state)).toEqual(STATES);
					expect(new Set(reported.map(({ incident }) => incident)).size).toBe(1);
					expect(reported.at(-1)).toMatchObject({ station: { id: 's1' }, minutes: 19 });
				}
			},
			SLOW_MS,
		);
	},
);

it(
	'two processes that poll at once start one execution for each item',
	async () => {
		// With memory of its own.
		let other: typeof station | undefined;
		await jest.isolateModulesAsync(async () => {
			other = await import('../../../lib/station');
		});
		const together = async () => {
			const { world, pass, close } = killedWorld();
			const ledger = world.openLedger();
			try {
				while (world.now <= UNTIL) {
					await Promise.all([world.poll(), world.poll({ ledger }, other?.pollStations)]);
					await pass();
				}
			} finally {
				await close();
			}
			return world.items();
		};
		const stories = await Promise.all(Array.from({ length: TIMES }, together));
		for (const reported of stories) {
			expect(reported.map(({ state }) => state)).toEqual(STATES);
		}
	},
	SLOW_MS,
);
