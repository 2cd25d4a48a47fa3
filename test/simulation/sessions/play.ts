/** Plays a history of sessions: the trigger polls while it happens, and Get Sessions is asked at each poll, for each part of it, and for all of it. */
import { createRandom } from '../../../simulator/data/random';
import { OWNER, sessions } from '../../unit/station/past/pastWorld';
import { MINUTE, type StationEvent, stationWorld } from '../../unit/station/stationWorld';
import { eventsOf, FROM, type History } from './history';
import { type Row, rowText, wrongIn } from './judge';
import type { Plan } from './plan';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEGIN = FROM - 10 * MINUTE;
/** By then nothing waits any more. */
const endOf = ({ days }: Plan): number => FROM + days * DAY + 14 * HOUR;
const SETTINGS = { kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 } as const;

/** What a history is held to. The last two hold where nothing is late. */
export const LAWS = [
	'Get Sessions tells the truth',
	'the trigger tells the truth',
	'the trigger and Get Sessions agree at every poll',
	'adjoining periods give each session once',
] as const;
export type Law = (typeof LAWS)[number];

export type Wrong = readonly [law: Law, what: string];

interface Verdict {
	readonly wrong: readonly Wrong[];
	/** How often the history was compared, by the laws that it was held to: polls, or questions. */
	readonly compared: ReadonlyMap<Law, number>;
}

const stationsOf = ({ sessions: all, noise }: History) => [
	...new Set([...all, ...noise].map(({ station }) => station)),
];

export async function judged(plan: Plan, laws: readonly Law[]): Promise<Verdict> {
	const { seed, trouble, history } = plan;
	const end = endOf(plan);
	const events = eventsOf(history);
	const assets = stationsOf(history);
	const ask = async (now: number, from: number, to: number): Promise<Row[]> =>
		await sessions(
			events.filter(({ listedAt }) => listedAt <= now),
			{ now, from, to, assets, lookBackMs: from - BEGIN },
		);
	const wrong: Wrong[] = [];
	const compared = new Map<Law, number>();
	const isAsked = (law: Law) => laws.includes(law);
	const add = (law: Law, times: number, found: readonly string[]) => {
		if (!isAsked(law)) return;
		compared.set(law, times);
		wrong.push(...found.map((what) => [law, what] as const));
	};
	const isOnTime = trouble === 'none' || trouble === 'repeated' || trouble === 'reordered';
	const random = createRandom(seed);
	const polls: number[] = [];
	const last = Math.max(FROM, ...events.map(({ listedAt }) => listedAt)) + 30 * MINUTE;
	for (let at = BEGIN; at < end; at += (at < last ? 1 + random.int(14) : 60) * MINUTE) {
		polls.push(at + random.int(60) * 1000);
	}
	const seconds = random.int(600);
	const isSplit = isOnTime && isAsked('adjoining periods give each session once');
	const isWhole = isSplit || isAsked('Get Sessions tells the truth');
	const whole = isWhole ? await ask(end + HOUR, BEGIN, end) : [];
	add(
		'Get Sessions tells the truth',
		1,
		wrongIn(history, { rows: whole, isAllListed: true, until: end }),
	);
	const isCompared = isOnTime && isAsked('the trigger and Get Sessions agree at every poll');
	if (isCompared || isAsked('the trigger tells the truth')) {
		const { rows, differences } = await polled(events, {
			assets,
			polls,
			...(isCompared && { ask }),
		});
		const isAllListed = trouble === 'none';
		const until = end - 15 * MINUTE;
		add('the trigger tells the truth', 1, wrongIn(history, { rows, isAllListed, until }));
		if (isCompared) {
			add('the trigger and Get Sessions agree at every poll', polls.length, differences);
		}
	}
	if (isSplit) {
		const splits = splitsOf(plan, events, seconds);
		const questions = splits.reduce((all, { bounds }) => all + bounds.length - 1, 0);
		const found: string[] = [];
		for (const split of splits) found.push(...(await adjoining(whole, ask, split)));
		add('adjoining periods give each session once', questions, found);
	}
	return { wrong, compared };
}

type Ask = (now: number, from: number, to: number) => Promise<Row[]>;

interface Polls {
	readonly assets: readonly string[];
	readonly polls: readonly number[];
	/** To compare with. */
	readonly ask?: Ask;
}

/** What the trigger has told, and where Get Sessions says something else at the same time. */
async function polled(events: readonly StationEvent[], { assets, polls, ask }: Polls) {
	const world = stationWorld({ workflowId: OWNER.workflowId, settings: SETTINGS, assets });
	world.events = [...events];
	const differences: string[] = [];
	for (const now of polls) {
		world.now = now;
		const failure = await world.poll();
		if (failure !== undefined) throw failure;
		if (ask === undefined || differences.length > 0) continue;
		const asked = (await ask(now, BEGIN, now)).filter(({ final }) => final !== false);
		const at = new Date(now).toISOString().slice(11, 19);
		differences.push(...different(world.items(), asked, [`trigger ${at}`, `Get Sessions ${at}`]));
	}
	return { rows: world.items(), differences };
}

/** A way to ask for a history in parts. */
interface Split {
	readonly name: string;
	readonly bounds: readonly number[];
	/** How long after the end of a part it is asked for. */
	readonly afterMs: number;
}

function splitsOf(plan: Plan, events: readonly StationEvent[], seconds: number): Split[] {
	const end = endOf(plan);
	const each = (lengthMs: number) =>
		Array.from(
			{ length: Math.ceil((end - BEGIN) / lengthMs) },
			(_unused, n) => BEGIN + n * lengthMs,
		);
	const moments = new Set(events.map(({ createdAt }) => Date.parse(createdAt)));
	return [
		{ name: 'hourly', bounds: each(HOUR), afterMs: seconds * 1000 },
		{ name: 'daily', bounds: each(DAY), afterMs: seconds * 1000 },
		{ name: 'in one part', bounds: [BEGIN], afterMs: 0 },
		// Of days, there would be too many.
		...(plan.days > 0
			? []
			: [
					{ name: 'in quarters of an hour, at once', bounds: each(15 * MINUTE), afterMs: 0 },
					{ name: 'from message to message', bounds: [BEGIN, ...moments], afterMs: seconds * 1000 },
				]),
	].map((split) => ({ ...split, bounds: [...split.bounds, end].toSorted((a, b) => a - b) }));
}

async function adjoining(
	whole: readonly Row[],
	ask: Ask,
	{ name, bounds, afterMs }: Split,
): Promise<string[]> {
	const parts: Row[] = [];
	for (const [n, to] of bounds.entries()) {
		const from = bounds[n - 1];
		if (from !== undefined) parts.push(...(await ask(to + afterMs, from, to)));
	}
	const keys = (rows: readonly Row[]) => rows.map(keyOf);
	const wrong = [
		...only(keys(whole), keys(parts)).map((key) => `not in the answers ${name}: ${key}`),
		...only(keys(parts), keys(whole)).map((key) => `only in the answers ${name}: ${key}`),
	];
	// Two connectors can stop at the same time, both with the same ID.
	const byKey = Map.groupBy(whole, keyOf);
	for (const row of parts) {
		const known = byKey.get(keyOf(row)) ?? [];
		const isSame = known.some((one) => shown(one) === shown(row));
		if (row['final'] === false || known.length === 0 || isSame) continue;
		wrong.push(`asked ${name}: ${rowText(row)}, and for all: ${known.map(rowText).join(', ')}`);
	}
	return wrong;
}

/** What a session is, whatever is known of it. */
function keyOf({ station, transactionId, startedAt, stoppedAt }: Row): string {
	const { id } = station as { id: string };
	return [id, transactionId, stoppedAt ?? startedAt].map(String).join(' ');
}

/** What does not depend on who asks. */
function shown({
	station,
	together: _together,
	state: _state,
	final: _final,
	...row
}: Row): string {
	return JSON.stringify([station, Object.entries(row).sort()]);
}

function different(
	some: readonly Row[],
	others: readonly Row[],
	[one, other]: readonly [string, string],
): string[] {
	const textsOf = new Map([...some, ...others].map((row) => [shown(row), rowText(row)]));
	const [left, right] = [some.map(shown), others.map(shown)];
	return [
		...only(left, right).map((text) => `only ${one}: ${textsOf.get(text) ?? ''}`),
		...only(right, left).map((text) => `only ${other}: ${textsOf.get(text) ?? ''}`),
	];
}

/** Each as often as it is there. */
function only(some: readonly string[], others: readonly string[]): string[] {
	const left = new Map<string, number>();
	for (const text of others) left.set(text, (left.get(text) ?? 0) + 1);
	return some.filter((text) => {
		const count = left.get(text) ?? 0;
		left.set(text, count - 1);
		return count <= 0;
	});
}
