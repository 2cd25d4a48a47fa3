/** What is kept of a station in bytes is what was said of it. */
import type { EventFacts, Fact } from '../../../../lib/station/facts';
import { factsIn, type LoggedEvent, LogWriter } from '../../../../lib/station/past/log';

const ALL = { from: -Infinity, to: Infinity };
const CONNECTION: Fact = { about: 'connection', isConnected: false, status: 'getrennt ✂ 断' };
const statusOf = (info: string): Fact => ({
	...{ about: 'status', connector: '1/2', status: 'Faulted', errorCode: 'OtherError', info },
});
const START: Fact = { about: 'start', connector: '1', messageId: 'm', meterWh: 12.5 };

interface Said {
	readonly at: number;
	readonly eventId: string;
	readonly facts: readonly Fact[];
	readonly isSign?: boolean;
}

function kept(all: readonly Said[], range = ALL) {
	const log = new LogWriter();
	for (const { isSign = false, ...event } of all) log.add(event, isSign);
	const facts = factsIn('s1', log.end(), range);
	const { signs, connections, sessions, states, isEmpty, idOf } = facts;
	const ids = Array.from(signs.places, idOf);
	return { connections, sessions, states: saidIn(states), isEmpty, times: [...signs.times], ids };
}

/** Without where it is. */
const saidIn = (states: Iterable<LoggedEvent>): EventFacts[] =>
	[...states].map(({ place: _place, ...event }) => event);

const saidAs = (all: readonly Said[], facts: readonly Fact[]): EventFacts[] =>
	all.map(({ at, eventId }) => ({ assetId: 's1', at, eventId, facts }));

it('each fact is found where it belongs, with the time and the ID of its event', () => {
	const boot: Fact = { about: 'boot', messageId: 'm' };
	const first = { at: 1_767_225_600_000.25, eventId: 'ä'.repeat(100), facts: [CONNECTION, boot] };
	const second = { at: -1, eventId: 'e2', facts: [statusOf('a "text"'), START], isSign: true };
	const third = { at: 7, eventId: '漢字', facts: [], isSign: true };
	expect(kept([first, second, third])).toEqual({
		connections: saidAs([first], [CONNECTION]),
		states: [...saidAs([first], [boot]), ...saidAs([second], [statusOf('a "text"')])],
		sessions: saidAs([second], [START]),
		isEmpty: false,
		times: [-1, 7],
		ids: ['e2', '漢字'],
	});
});

it('a million messages would take less than 100 bytes each, and whatever many of them say is kept', () => {
	const all = Array.from({ length: 20_000 }, (_unused, n) => ({
		...{ at: n, eventId: `whevt_01HZX3K8M2N4P6Q8R0S2T4V6${n}` },
		facts: [statusOf(n % 10 === 0 ? `text ${n}` : 'again')],
	}));
	const log = new LogWriter();
	for (const one of all) log.add(one, false);
	const bytes = log.end();
	expect(bytes.length).toBeGreaterThan(10);
	expect(bytes.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(100 * all.length);
	const { states } = factsIn('s1', bytes, ALL);
	const expected = all.flatMap((one) => saidAs([one], one.facts));
	expect(saidIn(states)).toEqual(expected);
	// They can be gone through again.
	expect(saidIn(states)).toEqual(expected);
});

it('a text that is longer than any piece is kept', () => {
	const said = { at: 1, eventId: 'e', facts: [statusOf('✂'.repeat(100_000))] };
	expect(kept([said, said]).states).toEqual(saidAs([said, said], said.facts));
});

it('only what was created in the given time counts', () => {
	const all = [1, 2, 3].map((at) => ({
		...{ at, eventId: `e${at}`, facts: [CONNECTION, statusOf(''), START], isSign: true },
	}));
	const { connections, states, sessions, times } = kept(all, { from: 2, to: 3 });
	expect([connections, states, sessions].map((found) => found.map(({ at }) => at))).toEqual([
		[2],
		[2],
		[2],
	]);
	expect(times).toEqual([2]);
	expect(kept(all, { from: 4, to: 5 }).isEmpty).toBe(true);
});
