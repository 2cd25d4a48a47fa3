/** Spans added up, without stations. */
import fc from 'fast-check';
import {
	byPart as eachPart,
	combined as combinedEach,
	DOWN_CAUSES,
	type DownCause,
	excluding as excludingEach,
	outagesIn,
	type Phase,
	shared,
	tally,
} from '../../../../lib/station/past/tally';

const MINUTE = 60_000;

// In lists: the code gives one at a time.
const byPart = (...given: Parameters<typeof eachPart>) =>
	Array.from(eachPart(...given), (own) => [...own]);
const combined = (...given: Parameters<typeof combinedEach>) => [...combinedEach(...given)];
const excluding = (...given: Parameters<typeof excludingEach>) => [...excludingEach(...given)];

type State = 'up' | 'unknown' | DownCause;

/** For example `up 60, faulted 30`: phases that adjoin, with their minutes. */
function phases(text: string): Phase[] {
	let at = 0;
	return text.split(', ').map((each) => {
		const [state = '', minutes = ''] = each.split(' ');
		const from = at;
		at += Number(minutes) * MINUTE;
		return { from, to: at, ...of(state as State) };
	});
}

const of = (state: State): Pick<Phase, 'causes' | 'isKnown'> => ({
	causes: DOWN_CAUSES.filter((cause) => cause === state),
	isKnown: state !== 'unknown',
});

const span = (from: number, to: number, reason?: string) => ({
	...{ from: from * MINUTE, to: to * MINUTE, reason },
});

describe('tally', () => {
	it('has the figures of 23 CFR 680.116(b): a day, down in maintenance and outside it', () => {
		const day = phases('up 120, faulted 120, up 660, offline 180, up 360');
		const figures = tally(excluding(day, [span(0, 600, 'Maintenance')]), 'leftOut');
		expect(figures).toMatchObject({
			...{ outageMinutes: 300, excludedOutageMinutes: 120, downMinutes: 180, offlineMinutes: 180 },
			...{ excludedMinutes: 600, upMinutes: 660, outages: 1, longestOutageMinutes: 180 },
			exclusionReasons: ['Maintenance'],
		});
		const { outageMinutes, excludedOutageMinutes } = figures;
		expect((1440 - (outageMinutes - excludedOutageMinutes)) / 1440).toBe(0.875);
	});

	it.each([
		['leftOut', 50],
		['up', 75],
		['down', 25],
	] as const)('unknown time %s: %p percent', (unknownAs, uptimePercent) => {
		expect(tally(phases('unknown 60, up 30, silent 30'), unknownAs)).toMatchObject({
			...{ uptimePercent, unknownMinutes: 60, silentMinutes: 30 },
		});
	});

	it('never counts the unknown time of a station that does not live', () => {
		const all = phases('unknown 60, up 30').map((phase, n) => ({ ...phase, isLiving: n > 0 }));
		for (const unknownAs of ['up', 'down'] as const) {
			expect(tally(all, unknownAs)).toMatchObject({ uptimePercent: 100, unknownMinutes: 60 });
		}
	});

	it('has no percentage if nothing counts', () => {
		expect(tally(phases('unknown 60'), 'leftOut').uptimePercent).toBeNull();
	});
});

describe('combined', () => {
	const whole = phases('up 60');

	it.each([
		['down only while all parts are', 'faulted 40, up 20', 'up 20, unavailable 40', 20],
		['up while one part is', 'faulted 60', 'up 60', 0],
		['unknown if no part is up and one is unknown', 'unknown 60', 'faulted 60', 0],
	])('is %s', (_name, first, second, outageMinutes) => {
		const found = tally(combined(whole, [phases(first), phases(second)]), 'leftOut');
		expect(found).toMatchObject({ outageMinutes });
		expect(found.upMinutes + found.unknownMinutes).toBe(60 - outageMinutes);
	});

	it('is down with all causes while it is down itself', () => {
		const found = combined(phases('offline 60'), [phases('up 60')]);
		expect(found.flatMap(({ causes }) => causes)).toEqual(['offline']);
	});

	it('is excluded only while all parts are', () => {
		const [first, second] = [phases('up 60'), phases('faulted 60')];
		const one = combined(whole, [excluding(first, [span(0, 60)]), second]);
		expect(tally(one, 'leftOut')).toMatchObject({ excludedMinutes: 0, upMinutes: 60 });
		const both = combined(
			whole,
			[first, second].map((part) => excluding(part, [span(10, 60, 'Works')])),
		);
		const figures = { excludedMinutes: 50, upMinutes: 10, exclusionReasons: ['Works'] };
		expect(tally(both, 'leftOut')).toMatchObject(figures);
	});

	it('is judged without a part that is not known yet', () => {
		const second = phases('unknown 30, up 30').map((phase, n) => ({ ...phase, isPlace: n > 0 }));
		const found = tally(combined(whole, [phases('unavailable 60'), second]), 'leftOut');
		expect(found).toMatchObject({ outageMinutes: 30, upMinutes: 30 });
	});
});

const STATES = ['up', 'unknown', ...DOWN_CAUSES] as const;
const seconds = fc.integer({ min: 1, max: 900 });
const histories = fc
	.array(fc.tuple(fc.constantFrom(...STATES), seconds), { minLength: 1, maxLength: 30 })
	.map((all) => {
		let at = 0;
		return all.map(([state, length]): Phase => {
			const from = at;
			at += length * 1000;
			return { from, to: at, ...of(state) };
		});
	});
const exclusions = fc
	.array(fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 60 })), {
		maxLength: 4,
	})
	.map((all) => all.map(([from, length], n) => span(from, from + length, `r${n}`)));

it('adds up: minutes to the period, causes to the outages, outages to each of them', () => {
	fc.assert(
		fc.property(histories, exclusions, (all, excluded) => {
			const found = excluding(all, excluded);
			const figures = tally(found, 'leftOut');
			const whole = Math.floor((all.at(-1)?.to ?? 0) / MINUTE);
			const { upMinutes, downMinutes, unknownMinutes, excludedMinutes } = figures;
			expect(upMinutes + downMinutes + unknownMinutes + excludedMinutes).toBe(whole);
			const { offlineMinutes, silentMinutes, faultedMinutes, unavailableMinutes } = figures;
			expect(offlineMinutes + silentMinutes + faultedMinutes + unavailableMinutes).toBe(
				downMinutes,
			);
			const { outageMinutes, excludedOutageMinutes } = figures;
			expect(outageMinutes - excludedOutageMinutes).toBe(downMinutes);
			const lengths = outagesIn(found).map(({ from, to }) => to - from);
			const minutes = shared(outageMinutes, lengths);
			expect(minutes.reduce((sum, each) => sum + each, 0)).toBe(outageMinutes);
			for (const [n, each] of minutes.entries()) {
				expect(Math.abs(each - (lengths[n] ?? 0) / MINUTE)).toBeLessThan(2);
			}
		}),
	);
});

it('parts have what the whole has, wherever it is cut', () => {
	fc.assert(
		fc.property(histories, fc.array(fc.nat(20_000)), (all, cuts) => {
			const end = all.at(-1)?.to ?? 0;
			const edges = [0, ...new Set(cuts.filter((at) => at > 0 && at * 1000 < end)), end / 1000]
				.sort((a, b) => a - b)
				.map((at) => at * 1000);
			const parts = edges.slice(1).map((to, n) => ({ from: edges[n] ?? 0, to }));
			const found = byPart(all, parts);
			const length = (state: string, list: readonly Phase[]) =>
				list
					.filter(({ causes, isKnown }) => `${causes.join()} ${isKnown}` === state)
					.reduce((sum, { from, to }) => sum + to - from, 0);
			for (const state of new Set(
				all.map(({ causes, isKnown }) => `${causes.join()} ${isKnown}`),
			)) {
				expect(length(state, found.flat())).toBe(length(state, all));
			}
			for (const [n, list] of found.entries()) {
				expect([list[0]?.from, list.at(-1)?.to]).toEqual([parts[n]?.from, parts[n]?.to]);
			}
		}),
	);
});

it('makes the phases of a part one at a time, as they are gone through', () => {
	let made = 0;
	const all = function* (): Generator<Phase> {
		for (; made < 1_000; made++) {
			yield { from: made * MINUTE, to: (made + 1) * MINUTE, causes: [], isKnown: made % 2 === 0 };
		}
	};
	const [figures] = Array.from(eachPart(all(), [{ from: 0, to: 1_000 * MINUTE }]), (phases) => {
		expect(made).toBeLessThan(3);
		return tally(phases, 'leftOut');
	});
	expect(figures).toMatchObject({ upMinutes: 500, unknownMinutes: 500 });
});
