/** Uptime against a plain reference, second by second, that knows what truly happened. `RUNS` sets the number of histories. */
import fc from 'fast-check';
import { casesOf } from '../../../support/cases';
import { OCPP16, OCPP201 } from '../stations';
import { MINUTE, type StationEvent, back, lost } from '../stationWorld';
import { FROM } from '../stories';
import { uptime } from './pastWorld';

const RUNS = casesOf({ few: 8, all: 60 });
const SECOND = 1_000;
/** A message soon after a lost connection would be that of an older socket. */
const APART_SECONDS = 125;
const SECONDS = 3 * 60 * 60;
const STATUSES = ['Available', 'Charging', 'Faulted', 'Unavailable'] as const;

interface Step {
	readonly what: 'lost' | 'back' | (typeof STATUSES)[number];
	readonly jitter: number;
	readonly isSkipped: boolean;
}

const histories = fc.record({
	isNew: fc.boolean(),
	steps: fc.array(
		fc.record<Step>({
			what: fc.constantFrom('lost', 'back', ...STATUSES),
			jitter: fc.integer({ min: 0, max: 60 }),
			isSkipped: fc.boolean(),
		}),
		{ minLength: 1, maxLength: Math.floor(SECONDS / APART_SECONDS) - 1 },
	),
	exclusion: fc.tuple(fc.integer({ min: 0, max: 170 }), fc.integer({ min: 1, max: 60 })),
	cut: fc.integer({ min: 1, max: 179 }),
});

/** The events, and the state in each second: `unknown` until the list can know it, though it is up in truth. */
function playOf(steps: readonly Step[], isNew: boolean) {
	const version = isNew ? OCPP201 : OCPP16;
	const events: StationEvent[] = [];
	const at = new Map<number, Step['what']>();
	for (const [n, { what, jitter, isSkipped }] of steps.entries()) {
		if (isSkipped) continue;
		const second = (n + 1) * APART_SECONDS + jitter;
		const time = FROM + second * SECOND;
		at.set(second, what);
		const iso = new Date(time).toISOString().slice(11, 19);
		if (what === 'lost') events.push(lost(time));
		else if (what === 'back') events.push(back(time));
		else events.push(version.status(iso, what));
	}
	let [isOffline, status] = [false, undefined as string | undefined];
	const states = Array.from({ length: SECONDS }, (_unused, second) => {
		const what = at.get(second);
		if (what === 'lost') isOffline = true;
		else if (what !== undefined) isOffline = false;
		if (what !== undefined && what !== 'lost' && what !== 'back') status = what;
		if (isOffline) return 'offline';
		if (status === 'Faulted' || status === 'Unavailable') return status.toLowerCase();
		return status === undefined ? 'unknown' : 'up';
	});
	return { events, states };
}

const minutesOf = (item: Readonly<Record<string, unknown>> | undefined, name: string) =>
	Number(item?.[`${name}Minutes`]);

it('is that of the reference to the minute, adds up, and is never above the truth', async () => {
	await fc.assert(
		fc.asyncProperty(histories, async ({ isNew, steps, exclusion: [from, length], cut }) => {
			const { events, states } = playOf(steps, isNew);
			const [begin, end] = [FROM, FROM + SECONDS * SECOND];
			const excluded = { from: FROM + from * MINUTE, to: FROM + (from + length) * MINUTE };
			const question = {
				exclusions: [{ ...excluded, assetId: undefined, connector: undefined }],
			};
			const options = { assets: ['s1'], now: end + 10 * MINUTE };
			const [whole] = await uptime(events, question, { ...options, from: begin, to: end });
			const counts = new Map<string, number>();
			for (const [second, state] of states.entries()) {
				const minute = Math.floor(second / 60);
				const isExcluded = from <= minute && minute < from + length;
				const name = isExcluded ? 'excluded' : state;
				counts.set(name, (counts.get(name) ?? 0) + 1);
			}
			const names = ['up', 'offline', 'faulted', 'unavailable', 'unknown', 'excluded'];
			for (const name of names) {
				const expected = (counts.get(name) ?? 0) / 60;
				expect(Math.abs(minutesOf(whole, name) - expected)).toBeLessThan(1);
			}
			// What is unknown is up in truth, as nothing is wrong before the first message.
			expect(minutesOf(whole, 'up') * 60).toBeLessThanOrEqual(counts.get('up') ?? 0);
			const sum = ['up', 'down', 'unknown', 'excluded'].reduce(
				(total, name) => total + minutesOf(whole, name),
				0,
			);
			expect(sum).toBe(SECONDS / 60);

			const middle = begin + cut * MINUTE;
			const [first] = await uptime(events, question, { ...options, from: begin, to: middle });
			const [second] = await uptime(events, question, { ...options, from: middle, to: end });
			for (const name of [...names, 'down']) {
				const both = minutesOf(first, name) + minutesOf(second, name);
				expect(Math.abs(both - minutesOf(whole, name))).toBeLessThanOrEqual(2);
			}

			const again = { ...options, from: begin, to: end, copies: 2, isOldestFirst: true };
			expect(await uptime(events, question, again)).toEqual([whole]);
		}),
		{ numRuns: RUNS },
	);
}, 120_000);
