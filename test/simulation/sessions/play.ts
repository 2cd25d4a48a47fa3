/** Plays a history of sessions: the trigger polls while it happens, and Get Sessions is asked at each poll, for each hour, and for all of it. */
import { createRandom } from '../../../simulator/data/random';
import { OWNER, sessions } from '../../unit/station/past/pastWorld';
import { MINUTE, type StationEvent, stationWorld } from '../../unit/station/stationWorld';
import { eventsOf, FROM, type History } from './history';
import { type Row, rowText, wrongIn } from './judge';
import type { Plan } from './plan';

const HOUR = 60 * MINUTE;
const BEGIN = FROM - 10 * MINUTE;
/** By then nothing waits any more. */
const END = FROM + 14 * HOUR;
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

const stationsOf = ({ sessions: all, noise }: History) => [
	...new Set([...all, ...noise].map(({ station }) => station)),
];

export async function wrongOf(
	{ seed, trouble, history }: Plan,
	laws: readonly Law[],
): Promise<Wrong[]> {
	const events = eventsOf(history);
	const assets = stationsOf(history);
	const ask = async (now: number, from: number, to: number): Promise<Row[]> =>
		await sessions(
			events.filter(({ listedAt }) => listedAt <= now),
			{ now, from, to, assets },
		);
	const wrong: Wrong[] = [];
	const add = (law: Law, found: readonly string[]) => {
		if (laws.includes(law)) wrong.push(...found.map((what) => [law, what] as const));
	};
	const isOnTime = trouble === 'none' || trouble === 'repeated' || trouble === 'reordered';
	const random = createRandom(seed);
	const polls: number[] = [];
	const last = Math.max(FROM, ...events.map(({ listedAt }) => listedAt)) + 30 * MINUTE;
	for (let at = BEGIN; at < END; at += (at < last ? 1 + random.int(14) : 60) * MINUTE) {
		polls.push(at + random.int(60) * 1000);
	}
	const whole = await ask(END + HOUR, BEGIN, END);
	add(
		'Get Sessions tells the truth',
		wrongIn(history, { rows: whole, isAllListed: true, until: END }),
	);
	if (laws.some((law) => law.startsWith('the trigger'))) {
		const isCompared =
			isOnTime && laws.includes('the trigger and Get Sessions agree at every poll');
		const { rows, differences } = await polled(events, {
			assets,
			polls,
			...(isCompared && { ask }),
		});
		const judged = { rows, isAllListed: trouble === 'none', until: END - 15 * MINUTE };
		add('the trigger tells the truth', wrongIn(history, judged));
		add('the trigger and Get Sessions agree at every poll', differences);
	}
	if (laws.includes('adjoining periods give each session once') && isOnTime) {
		add('adjoining periods give each session once', await adjoining(whole, ask, random.int(600)));
	}
	return wrong;
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

/** Each hour, asked some seconds after it, and each half of it, asked at once. */
async function adjoining(whole: readonly Row[], ask: Ask, seconds: number): Promise<string[]> {
	const wrong: string[] = [];
	for (const [name, lengthMs, afterMs] of [
		['hourly', HOUR, seconds * 1000],
		['in quarters of an hour, at once', 15 * MINUTE, 0],
		['in one part', END - BEGIN, 0],
	] as const) {
		const parts: Row[] = [];
		for (let from = BEGIN; from < END; from += lengthMs) {
			const to = Math.min(END, from + lengthMs);
			parts.push(...(await ask(to + afterMs, from, to)));
		}
		const keys = (rows: readonly Row[]) => rows.map(keyOf);
		wrong.push(
			...only(keys(whole), keys(parts)).map((key) => `not in the answers ${name}: ${key}`),
			...only(keys(parts), keys(whole)).map((key) => `only in the answers ${name}: ${key}`),
		);
		const byKey = new Map(whole.map((row) => [keyOf(row), row]));
		for (const row of parts) {
			const known = byKey.get(keyOf(row));
			if (row['final'] === false || known === undefined || shown(row) === shown(known)) continue;
			wrong.push(`asked ${name}: ${rowText(row)}, and for all: ${rowText(known)}`);
		}
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
