/** What of a station's statuses is kept for a question decides the same as all of them, and is read a fixed number of times. */
import fc from 'fast-check';
import { DEFAULT_CONNECTION } from '../../../../lib/station';
import type { Report, StationState } from '../../../../lib/station/common/state';
import type { EventFacts, Fact } from '../../../../lib/station/facts';
import { componentsOf } from '../../../../lib/station/fold/components';
import { type Run, runsOf } from '../../../../lib/station/fold/runs';
import { bootOf, know, reportOf } from '../../../../lib/station/fold/station';
import { overOf } from '../../../../lib/station/fold/timeline';
import { factsIn, LogWriter, type StationFacts } from '../../../../lib/station/past/log';
import { stateOf } from '../../../../lib/station/past/state';
import { statusOf } from '../../../../lib/station/past/status';
import { casesOf } from '../../../support/cases';
import { DEFAULTS, MINUTE } from '../stationWorld';
import { OWNER } from './pastWorld';

const SETTINGS = { ...DEFAULTS, kind: 'connectorFault', scope: 'connector', forMs: 0 } as const;

const statusFact = (connector: string, status: string): Fact => ({
	...{ about: 'status', connector, status },
	errorCode: status === 'Faulted' ? 'OtherError' : 'NoError',
});
const problemFact = (name: string): Fact => ({
	...{ about: 'problem', connector: '1/0', component: name.toLowerCase(), name },
	...{ isActive: true, errorCode: name },
});
const boot: Fact = { about: 'boot', messageId: undefined, hasReason: true };

function factsOf(all: readonly (readonly [minute: number, fact: Fact])[]): StationFacts {
	const log = new LogWriter();
	// Lists begin with the newest event.
	for (const [n, [minute, fact]] of [...all.entries()].reverse()) {
		log.add({ at: minute * MINUTE, eventId: `e${n}`, facts: [fact] }, true);
	}
	return factsIn('s1', log.end(), { from: -Infinity, to: Infinity });
}

/** Each report, without columns. */
function plainState(facts: StationFacts): StationState {
	const lines: Record<string, { reports: Report[] }> = {};
	const state: StationState = { lines, known: {} };
	for (const { place: _place, ...event } of facts.states) {
		for (const fact of event.facts) addTo(state, lines, fact, event);
	}
	return state;
}

function addTo(
	state: StationState,
	lines: Record<string, { reports: Report[] }>,
	fact: Fact,
	event: EventFacts,
): void {
	const booted = bootOf(fact, event);
	if (booted !== undefined) (state.boots ??= []).push(booted);
	know(state.known ?? {}, fact, event);
	const placed = reportOf(fact, event, SETTINGS);
	if (placed !== undefined) (lines[placed.name] ??= { reports: [] }).reports.push(placed.report);
}

const saidOf = (places: readonly string[]) =>
	fc.oneof(
		{ weight: 8, arbitrary: fc.constantFrom(...places) },
		{ weight: 1, arbitrary: fc.constant('boot') },
		{ weight: 1, arbitrary: fc.constant('problem') },
	);
const historyOf = (places: readonly string[]) =>
	fc
		.array(
			fc.tuple(
				fc.integer({ min: 0, max: 60 }),
				saidOf(places),
				fc.constantFrom('Available', 'Occupied', 'Faulted', 'Available'),
			),
			{ maxLength: 30 },
		)
		.map((all) =>
			all.map(([minute, place, status]): readonly [number, Fact] => {
				if (place === 'boot') return [minute, boot];
				return [minute, place === 'problem' ? problemFact('Lock') : statusFact(place, status)];
			}),
		)
		.map((all) => all.sort(([a], [b]) => a - b));
const anyHistory = historyOf(['1/0', '1/1', '1/2', '1/?', '?/?', '2/1', '0', '1', '2']);
const numbered = fc.oneof(historyOf(['1/0', '1/1', '1/2', '2/1', '0']), historyOf(['0', '1', '2']));

const runsIn = (state: StationState, watermark: number) =>
	shown(runsOf(componentsOf(state, { until: Infinity, watermark }), SETTINGS));
/** Of statuses only. */
function lastingIn(state: StationState, watermark: number) {
	const components = componentsOf(state, { until: Infinity, watermark });
	const all = components.all.filter(({ component }) => component === undefined);
	const isLasting = ({ stretches }: Run) => stretches.some((one) => overOf(one) === undefined);
	return shown(runsOf({ ...components, all }, SETTINGS).filter(isLasting));
}

const shown = (runs: readonly Run[]) =>
	runs.map(({ connector, since, until, to, isEndedByBoot, heldAt, reports, stretches }) => ({
		...{ connector, since, until, to, isEndedByBoot, heldAt },
		reports: reports.map(({ t, id, key, d }) => ({ t, id, key, d })),
		// Get Status says by when it is over.
		stretches: stretches.map(({ address, since: from, until: end, overAt }) => {
			return { address, from, end, overAt };
		}),
	}));

it('what is kept of statuses shows the same faults as all that was said', () => {
	fc.assert(
		fc.property(anyHistory, fc.constantFrom(0, 5, 20, 40, 65, Infinity), (all, minutes) => {
			const facts = factsOf(all);
			const watermark = minutes * MINUTE;
			const expected = runsIn(plainState(facts), watermark);
			expect(runsIn(stateOf(facts, SETTINGS, Infinity), watermark)).toEqual(expected);
		}),
		{ numRuns: casesOf({ few: 500, all: 4_000 }) },
	);
});

it('what is kept of statuses for the present shows the same faults that last as all that was said', () => {
	const histories = fc.oneof(
		{ weight: 1, arbitrary: anyHistory },
		{ weight: 4, arbitrary: numbered },
	);
	fc.assert(
		fc.property(histories, fc.constantFrom(0, 5, 20, 40, 65, Infinity), (all, minutes) => {
			const facts = factsOf(all);
			const watermark = minutes * MINUTE;
			const plain = plainState(facts);
			const { windows } = componentsOf(plain, { until: Infinity, watermark });
			const undecided = windows.flatMap(({ t, isOver }) => (isOver ? [] : [t]));
			const decidedUpTo = Math.min(watermark, ...undecided);
			const kept = stateOf(facts, SETTINGS, Infinity, { decidedUpTo });
			expect(lastingIn(kept, watermark)).toEqual(lastingIn(plain, watermark));
		}),
		{ numRuns: casesOf({ few: 500, all: 4_000 }) },
	);
});

it('keeps for the present no report of a fault that is over', () => {
	const faults = Array.from({ length: 3_000 }, (_unused, n): readonly [number, Fact] => {
		return [n, statusFact('1', n % 2 === 0 ? 'Available' : 'Faulted')];
	});
	const kept = (all: typeof faults) =>
		stateOf(factsOf(all), SETTINGS, Infinity, { decidedUpTo: Infinity }).lines?.['1']?.reports
			.length;
	expect(kept(faults.slice(0, -1))).toBe(1);
	expect(kept(faults)).toBe(2);
	expect(kept([...faults, [3_000, boot]])).toBe(2);
});

it('keeps few reports of a station that says again and again that all is well', () => {
	const words = ['Available', 'Preparing', 'Charging'];
	const all = Array.from({ length: 3_000 }, (_unused, n): readonly [number, Fact] => {
		return [n, statusFact('1', n === 1_500 ? 'Faulted' : (words[n % 3] ?? ''))];
	});
	const kept = ({ lines = {} }: StationState) => lines['1']?.reports.length;
	expect(kept(stateOf(factsOf(all), SETTINGS, Infinity))).toBe(3);
});

it('Get Status reads what was said as often for thirty open problems as for one', () => {
	const passesOf = (count: number) => {
		const names = Array.from({ length: count }, (_unused, n) => `Lock${n}`);
		const facts = factsOf([
			[0, statusFact('1/0', 'Available')],
			...names.map((name, n) => [n + 1, problemFact(name)] as const),
		]);
		let passes = 0;
		const states = {
			[Symbol.iterator]: () => {
				passes += 1;
				return facts.states[Symbol.iterator]();
			},
		};
		const at = 60 * MINUTE;
		const { problems } = statusOf(
			['s1', { ...facts, states }, { listed: undefined, isRemoved: false }],
			{
				...{ from: 0, to: at, serviceNow: at, watermark: at, knownUpTo: at, heardUpTo: at },
				...{ readBackTo: 0, oldestAt: 0, silentAfterMs: 26 * 60 * MINUTE },
			},
			{ owner: OWNER, words: DEFAULT_CONNECTION, limitOf: () => Infinity },
		);
		expect(problems).toMatchObject(names.map((component) => ({ component })));
		return passes;
	};
	expect(passesOf(30)).toBe(passesOf(1));
});
