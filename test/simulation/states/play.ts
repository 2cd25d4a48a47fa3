/** What is said of a history's places: by the trigger at each poll, and by the questions about the past; compared with the reference. */
import { isRecord, textOf } from '../../../lib/shared/values';
import type { StationSettings } from '../../../lib/station';
import { createRandom } from '../../../simulator/data/random';
import { incidents, outages, OWNER, status, uptime } from '../../unit/station/past/pastWorld';
import { MINUTE, type StationEvent, stationWorld } from '../../unit/station/stationWorld';
import { eventsOf, FROM, placeName, STATION, type Step } from './history';
import { type Plan, stepsOf } from './plan';
import {
	changeOf,
	faultsOf,
	type Minute,
	type NameOf,
	type Run,
	SILENT_MS,
	type Truth,
	truthOf,
} from './reference';

const SECOND = 1_000;
const HOUR = 60 * MINUTE;
const BEGIN = FROM - 10 * MINUTE;
/** Nothing says more of the period than is known so long after it. */
const SURE_MS = SILENT_MS + 2 * HOUR;
const CATEGORIES = ['up', 'offline', 'silent', 'faulted', 'unavailable', 'unknown'] as const;

export const LAWS = [
	'Get Uptime is that of the reference',
	'no time without evidence',
	'the trigger tells the faults and outages of the reference',
	'Get Incidents gives what the trigger told, at every poll',
	'Get Status, Get Uptime and the reference agree at every poll',
	'the parts of a period add up',
	'the order of the list changes nothing',
	'one place changes nothing at another',
] as const;
export type Law = (typeof LAWS)[number];
export type Wrong = readonly [law: Law, what: string];

type Item = Readonly<Record<string, unknown>>;

export async function wrongOf(plan: Plan, laws: readonly Law[]): Promise<Wrong[]> {
	const steps = stepsOf(plan);
	const truth = truthOf(steps);
	const events = eventsOf(steps);
	const asked: Asked = { plan: { ...plan, steps }, events, truth, random: createRandom(plan.seed) };
	const judges: Readonly<Record<Law, (asked: Asked) => Promise<string[]>>> = {
		'Get Uptime is that of the reference': minutes,
		'no time without evidence': evidence,
		'the trigger tells the faults and outages of the reference': told,
		'Get Incidents gives what the trigger told, at every poll': asTold,
		'Get Status, Get Uptime and the reference agree at every poll': now,
		'the parts of a period add up': sums,
		'the order of the list changes nothing': order,
		'one place changes nothing at another': others,
	};
	const wrong: Wrong[] = [];
	for (const law of laws) {
		for (const what of new Set(await judges[law](asked))) wrong.push([law, what]);
	}
	return wrong;
}

interface Asked {
	readonly plan: Plan;
	readonly events: readonly StationEvent[];
	readonly truth: Truth;
	readonly random: ReturnType<typeof createRandom>;
}

const clock = (at: number) => {
	if (at === Infinity) return 'now';
	const iso = new Date(at).toISOString();
	return `${iso.slice(0, 10) === '2026-11-23' ? '' : `${iso.slice(5, 10)} `}${iso.slice(11, 19)}`;
};

const wholeMinute = (at: number) => Math.floor(at / MINUTE) * MINUTE;

type Per = 'connector' | 'port' | 'station';

/** All messages are listed by then, and silence is decided. */
async function uptimeRows(
	{ plan, events }: Asked,
	from: number,
	to: number,
	more: { readonly per?: Per; readonly copies?: number } = {},
): Promise<Item[]> {
	const { per = 'connector', ...list } = more;
	const lookBackMs = 6 * 24 * HOUR;
	const options = { from, to, now: plan.to + SURE_MS, assets: [STATION], lookBackMs, ...list };
	return await uptime(events, { per: per as 'connector' }, options);
}

const nameOf = ({ port, connector }: Item, per: Per): string => {
	const name = per === 'port' ? port : per === 'connector' ? connector : 'station';
	return typeof name === 'string' ? name : '';
};

const minutesIn = (row: Item | undefined, name: string): number => {
	const value = row?.[`${name}Minutes`];
	return typeof value === 'number' ? value : 0;
};

/** The times at which anything can change. */
function turns({ outages, silences, states, connectors }: Truth, steps: readonly Step[]): number[] {
	return [
		...[...outages, ...silences, ...states].flatMap(({ from, to }) => [from, to]),
		...connectors.values(),
		...steps.map(({ at }) => at),
	];
}

interface Minutes {
	/** By category, at least and at most. */
	readonly least: ReadonlyMap<Minute, number>;
	readonly most: ReadonlyMap<Minute, number>;
}

function trueMinutes({ truth, plan }: Asked, place: string, from: number, to: number): Minutes {
	const cuts = turns(truth, plan.steps).filter((at) => at > from && at < to);
	const sorted = [...new Set([from, ...cuts, to])].sort((a, b) => a - b);
	const least = new Map<Minute, number>();
	const most = new Map<Minute, number>();
	for (const [n, at] of sorted.slice(0, -1).entries()) {
		const length = ((sorted[n + 1] ?? to) - at) / MINUTE;
		const words = truth.at(place, at);
		for (const word of words) {
			most.set(word, (most.get(word) ?? 0) + length);
			if (words.length === 1) least.set(word, (least.get(word) ?? 0) + length);
		}
	}
	return { least, most };
}

function periods({ plan, random }: Asked): [from: number, to: number][] {
	const [from, to] = [wholeMinute(FROM), wholeMinute(plan.to)];
	const cut = () => from + random.int((to - from) / MINUTE - 1) * MINUTE;
	const [one, other] = [cut(), cut()].sort((a, b) => a - b);
	return [[from, to], ...(one && other && one < other ? [[one, other] as [number, number]] : [])];
}

async function minutes(asked: Asked): Promise<string[]> {
	const wrong: string[] = [];
	for (const [from, to] of periods(asked)) {
		const rows = await uptimeRows(asked, from, to);
		const names = rows.map((row) => nameOf(row, 'connector'));
		const known = [...asked.truth.connectors].filter(([, at]) => at < to);
		const period = `${clock(from)} to ${clock(to)}`;
		for (const [place] of known) {
			const row = rows[names.indexOf(place)];
			if (row === undefined) {
				wrong.push(`no row of ${place}: ${period}, only ${names.join(', ')}`);
				continue;
			}
			const { least, most } = trueMinutes(asked, place, from, to);
			for (const name of CATEGORIES) {
				const [found, low, high] = [
					minutesIn(row, name),
					least.get(name) ?? 0,
					most.get(name) ?? 0,
				];
				if (found > low - 1.5 && found < high + 1.5) continue;
				wrong.push(
					`${name} minutes of a connector: ${place}, ${period}: ${found}, not ${Math.round(low)}${high - low > 1 ? ` to ${Math.round(high)}` : ''}`,
				);
			}
		}
		const places = new Set(known.map(([place]) => place.split('/')[0] ?? ''));
		const added = names.filter((name) => !asked.truth.connectors.has(name) && places.has(name));
		if (asked.plan.version !== 'updated') {
			wrong.push(...added.map((name) => `a row of no connector: ${name}, ${period}`));
		}
	}
	return wrong;
}

/** A minute counts as up only if something shows the state then. */
async function evidence(asked: Asked): Promise<string[]> {
	const wrong: string[] = [];
	for (const [from, to] of periods(asked)) {
		for (const row of await uptimeRows(asked, from, to)) {
			const place = nameOf(row, 'connector');
			if (!asked.truth.connectors.has(place)) continue;
			const most = trueMinutes(asked, place, from, to).most.get('up') ?? 0;
			const up = minutesIn(row, 'up');
			if (up <= most + 2.5) continue;
			const period = `${clock(from)} to ${clock(to)}`;
			wrong.push(
				`more up than anything shows: ${place}, ${period}: ${up}, at most ${Math.round(most)}`,
			);
		}
	}
	return wrong;
}

const SETTINGS: readonly Partial<StationSettings>[] = [
	{ kind: 'stationOffline', forMs: 0, resolveAfterMs: 0 },
	{ kind: 'stationOffline' },
	{ kind: 'connectorFault', scope: 'connector', forMs: 0, resolveAfterMs: 0 },
	{ kind: 'connectorFault', scope: 'code', forMs: 0, resolveAfterMs: 5 * MINUTE },
	{
		kind: 'connectorFault',
		scope: 'station',
		times: 2,
		withinMs: HOUR,
		forMs: 0,
		resolveAfterMs: 0,
	},
	{
		...{ kind: 'connectorFault', scope: 'connector', times: 3, withinMs: 2 * HOUR },
		...{ forMs: 0, resolveAfterMs: 0 },
	},
	{
		...{ kind: 'connectorFault', scope: 'code', times: 2, withinMs: 20 * MINUTE },
		...{ forMs: 0, resolveAfterMs: 0 },
	},
	{ kind: 'connectorStatus', forMs: 0, resolveAfterMs: 0, statuses: ['Faulted', 'Unavailable'] },
	{ kind: 'connectorStatus', forMs: 20 * MINUTE, resolveAfterMs: 0 },
];

function pollsOf({ plan, random }: Asked): number[] {
	const polls: number[] = [];
	const step = (plan.to - FROM) / 40;
	for (let at = BEGIN; at < plan.to + 3 * HOUR; at += MINUTE + random.int(step)) polls.push(at);
	return [...polls, plan.to + 4 * HOUR];
}

async function polled(
	asked: Asked,
	settings: Partial<StationSettings>,
	onPoll: (at: number, items: readonly Item[]) => Promise<boolean>,
): Promise<Item[]> {
	const { events } = asked;
	const { workflowId } = OWNER;
	const world = stationWorld({ workflowId, settings, assets: [STATION] });
	world.events = [...events];
	for (const at of pollsOf(asked)) {
		world.now = at;
		const failure = await world.poll();
		if (failure !== undefined) throw failure;
		if (!(await onPoll(at, world.items()))) break;
	}
	return world.items();
}

/** One per incident: resolved, if it is. */
function byIncident(items: readonly Item[]): Item[] {
	const last = new Map<unknown, Item>();
	for (const item of items) {
		const before = last.get(item['incident']);
		if (before?.['state'] !== 'resolved') last.set(item['incident'], item);
	}
	return [...last.values()];
}

const atOf = (text: unknown) => (typeof text === 'string' ? Date.parse(text) : Infinity);
const incidentText = (place: string, from: number, to: number) =>
	`${place}, ${clock(from)} to ${clock(to)}`;
const itemText = ({ connector, status: word, since, until }: Item) =>
	incidentText(
		`${typeof connector === 'string' ? connector : 'station'}${typeof word === 'string' ? ` ${word}` : ''}`,
		atOf(since),
		atOf(until),
	);

async function told(asked: Asked): Promise<string[]> {
	const { plan, truth } = asked;
	// A late message may open something else first.
	if (plan.isLate) return [];
	const [, , faultSettings = {}] = SETTINGS;
	const always = async () => true;
	const faults = await polled(asked, faultSettings, always);
	const outages = await polled(asked, SETTINGS[0] ?? {}, always);
	const nameOf = onlyConnector(asked);
	const expected = {
		fault: faultsOf(truth, nameOf).map((run) => runText(run)),
		outage: truth.outages.map(({ from, to }) => incidentText('station', from, to)),
	};
	// A station that a straggler shows to be there was hardly away.
	const hardly = truth.outages.filter(({ from, to }) => to - from <= MINUTE);
	const isHardly = (text: string) =>
		hardly.some(({ from, to }) => text === incidentText('station', from, to));
	const shown = (items: readonly Item[]) =>
		byIncident(items).map((item) =>
			incidentText(
				typeof item['connector'] === 'string'
					? nameOf(item['connector'], atOf(item['since']))
					: 'station',
				atOf(item['since']),
				item['state'] === 'resolved' ? atOf(item['until']) : Infinity,
			),
		);
	return [
		...(isHeardLater(asked) || isCarriedOver(asked)
			? []
			: differ('fault', expected.fault, shown(faults))),
		...differ(
			'outage',
			expected.outage.filter((text) => !isHardly(text)),
			shown(outages).filter((text) => !isHardly(text)),
		),
	];
}

const runText = ({ place, from, to }: Run) => incidentText(place, from, to);

/** A connector that is heard of later may be the only one of its EVSE, or make it another place. */
const isHeardLater = ({ plan, truth: { connectors } }: Asked): boolean => {
	const others = plan.steps.filter(
		(step) =>
			step.what === 'problem' ||
			(step.what === 'status' && !connectors.has(placeName(step))) ||
			(step.what === 'status' && step.at > (connectors.get(placeName(step)) ?? 0)),
	);
	return others.some(({ at, version }) =>
		[...connectors].some(
			([place, known]) => known > at && place.includes('/') === (version === '2.0.1'),
		),
	);
};

/** A fault of an old number lasts until one of the EVSE with that number begins: it may go on as that one. */
function isCarriedOver({ plan, truth: { states } }: Asked): boolean {
	const change = changeOf(plan.steps);
	const faults = states.filter(({ state }) => state === 'Faulted');
	const begun = faults.filter(({ from }) => from === change).map(({ place }) => place);
	return faults.some(
		({ place, to }) => to === change && begun.some((other) => other.split('/')[0] === place),
	);
}

/** An EVSE and its only connector are one place. A number of 1.6 is that of an EVSE, too. */
function onlyConnector({ plan, truth: { connectors } }: Asked): NameOf {
	const change = changeOf(plan.steps);
	return (place, from) => {
		const isOld = from < change && place !== '0' && !place.includes('/');
		if (isOld && plan.version === 'updated') return `${place} of 1.6`;
		const own = [...connectors.keys()].filter((name) => name.startsWith(`${place}/`));
		return own.length === 1 ? (own[0] ?? place) : place;
	};
}

function differ(of: string, expected: readonly string[], found: readonly string[]): string[] {
	return [
		...expected.filter((one) => !found.includes(one)).map((one) => `${of} not told: ${one}`),
		...found.filter((one) => !expected.includes(one)).map((one) => `${of} that is none: ${one}`),
	];
}

async function asTold(asked: Asked): Promise<string[]> {
	const { plan, events } = asked;
	if (plan.isLate) return [];
	const settings = SETTINGS[plan.seed % SETTINGS.length] ?? {};
	const wrong: string[] = [];
	const shown = (item: Item) => {
		const isOver = item['state'] === 'resolved';
		const text = itemText({ ...item, until: isOver ? item['until'] : null });
		// What belongs to an open one may have changed since it was told.
		const { count, errorCodes } = item;
		return isOver && count !== undefined ? `${text}, ${JSON.stringify([count, errorCodes])}` : text;
	};
	await polled(asked, settings, async (at, items) => {
		const listed = events.filter(({ listedAt }) => listedAt <= at);
		const lookBackMs = 6 * 24 * HOUR;
		const options = { from: BEGIN, to: at, now: at, assets: [STATION], lookBackMs };
		const found = await incidents(listed, settings, options);
		// The service's time has whole seconds: what begins in the second of the question is after its period.
		const asOf = at - (at % SECOND);
		const opened = byIncident(items).filter((item) => atOf(item['since']) < asOf);
		const [one, other] = [opened.map(shown), found.map(shown)];
		const kind = settings.kind ?? '';
		wrong.push(
			...one
				.filter((text) => !other.includes(text))
				.map((text) => `only the trigger: ${kind} at ${clock(at)}: ${text}`),
			...other
				.filter((text) => !one.includes(text))
				.map((text) => `only Get Incidents: ${kind} at ${clock(at)}: ${text}`),
		);
		return wrong.length === 0;
	});
	return wrong;
}

/** Where nothing has just happened, and no boot may still end something. */
async function now(asked: Asked): Promise<string[]> {
	const { plan, events, truth } = asked;
	if (plan.isLate) return [];
	const wrong: string[] = [];
	for (const at of pollsOf(asked).map(wholeMinute)) {
		const isNear = plan.steps.some(
			(step) => step.at < at && step.at > at - (step.what === 'boot' ? 15 : 4) * MINUTE,
		);
		const known = truthOf(
			plan.steps.filter((step) => step.at < at),
			at,
		);
		if (isNear || at > plan.to || wrong.length > 0) continue;
		const heard = plan.steps.findLast((step) => step.at < at && step.what !== 'command');
		// A straggler is known as one when nothing has followed it.
		const isStraggler = truth.outages.some(({ from, to }) => from < at && at < to + 40 * MINUTE);
		// To the minute, nobody knows yet that it is silent.
		const isOnEdge = Math.abs(at - (heard?.at ?? 0) - SILENT_MS) < 5 * MINUTE;
		if (heard === undefined || isStraggler || isOnEdge) continue;
		const listed = events.filter(({ listedAt }) => listedAt <= at);
		const options = { now: at, assets: [STATION], lookBackMs: 6 * 24 * HOUR };
		const [item = {}] = await status(listed, { ...options, from: at });
		const places = new Map(
			(Array.isArray(item['connectors']) ? item['connectors'] : [])
				.filter(isRecord)
				.map((entry) => [entry['connector'], entry['status'] ?? 'unknown']),
		);
		const word = String(item['status']);
		const isGone =
			at - heard.at > SILENT_MS || truth.outages.some(({ from, to }) => from <= at && at < to);
		const expectedWord = at - heard.at > SILENT_MS ? 'silent' : 'offline';
		if (isGone !== ['silent', 'offline'].includes(word)) {
			wrong.push(`Get Status at ${clock(at)}: ${word}, not ${isGone ? expectedWord : 'connected'}`);
		}
		const states: string[] = [];
		for (const [place, since] of known.connectors) {
			// The number of an old place is that of an EVSE, too.
			const isOver = !place.includes('/') && at >= changeOf(plan.steps);
			if (since >= at || isOver) continue;
			const words = isGone ? [] : known.at(place, at - 1);
			const said = places.get(place);
			const kind =
				said === 'Faulted'
					? 'faulted'
					: said === 'Unavailable'
						? 'unavailable'
						: said === undefined || said === 'unknown'
							? 'unknown'
							: 'up';
			states.push(...words);
			if (words.length === 1 && !words.includes(kind)) {
				wrong.push(
					`status of ${place} in Get Status: at ${clock(at)}: ${textOf(said) ?? 'nothing'}, and it is ${words.join()}`,
				);
			}
		}
		if (!isGone && word === 'ok' && states.length > 0 && states.every((one) => one === 'unknown')) {
			wrong.push(`Get Status at ${clock(at)} is ok, and no connector is known`);
		}
	}
	return wrong;
}

async function sums(asked: Asked): Promise<string[]> {
	const { plan, random } = asked;
	const [from, to] = [wholeMinute(FROM), wholeMinute(plan.to)];
	const cut = from + (1 + random.int((to - from) / MINUTE - 2)) * MINUTE;
	const wrong = await downs(asked, from, to);
	for (const per of ['connector', 'port', 'station'] as const) {
		const whole = await uptimeRows(asked, from, to, { per });
		const first = await uptimeRows(asked, from, cut, { per });
		const second = await uptimeRows(asked, cut, to, { per });
		const of = (rows: readonly Item[], name: string) =>
			rows.find((row) => nameOf(row, per) === name) ??
			// Before its first connector is known, an EVSE is that place.
			(isOnly(name) ? rows.find((row) => nameOf(row, per) === name.split('/')[0]) : undefined);
		const isOnly = (name: string) =>
			whole.filter((row) => nameOf(row, per).split('/')[0] === name.split('/')[0]).length === 1;
		/** A number of 1.6 is that of an EVSE, too. */
		const isOld = (name: string) => !name.includes('/') && asked.truth.connectors.has(name);
		for (const row of whole) {
			const name = nameOf(row, per);
			// Which of its connectors it was then, nobody knows.
			const isParted = [...first, ...second].some(
				(one) => nameOf(one, per) === name.split('/')[0] && !isOld(nameOf(one, per)),
			);
			if (name.includes('/') && isParted && !isOnly(name)) continue;
			const [one, other] = [of(first, name), of(second, name)];
			const total = ['up', 'down', 'unknown', 'excluded'].reduce(
				(sum, kind) => sum + minutesIn(row, kind),
				0,
			);
			const where = `per ${per}, ${name}, cut at ${clock(cut)}`;
			if (total !== (to - from) / MINUTE)
				wrong.push(`does not add up to the period: ${where}: ${total}`);
			for (const kind of CATEGORIES) {
				const parts = minutesIn(one, kind) + minutesIn(other, kind);
				// Before a place was known, a part has no row of it: the whole says more.
				const isMissing = one === undefined || other === undefined;
				if (
					isMissing
						? parts <= minutesIn(row, kind) + 2
						: Math.abs(parts - minutesIn(row, kind)) <= 2
				)
					continue;
				wrong.push(
					`${kind} of the parts: ${where}: ${parts}, and of the whole: ${minutesIn(row, kind)}`,
				);
			}
		}
	}
	return wrong;
}

/** Get Outages lists what Get Uptime counts. */
async function downs(asked: Asked, from: number, to: number): Promise<string[]> {
	const lookBackMs = 6 * 24 * HOUR;
	const options = { from, to, now: asked.plan.to + SURE_MS, assets: [STATION], lookBackMs };
	const listed = await outages(asked.events, {}, options);
	return (await uptimeRows(asked, from, to)).flatMap((row) => {
		const name = nameOf(row, 'connector');
		const own = listed.filter((one) => nameOf(one, 'connector') === name);
		const sum = own.reduce((total, { minutes: many }) => total + Number(many), 0);
		const counted = minutesIn(row, 'outage');
		if (Math.abs(sum - counted) <= own.length + 1) return [];
		return [`outages of ${name}: ${sum} minutes in Get Outages, ${counted} in Get Uptime`];
	});
}

async function order(asked: Asked): Promise<string[]> {
	const { plan } = asked;
	const [from, to] = [wholeMinute(FROM), wholeMinute(plan.to)];
	const other = { copies: 2, isOldestFirst: true };
	const wrong: string[] = [];
	const same = (name: string, one: unknown, two: unknown) => {
		if (JSON.stringify(one) !== JSON.stringify(two))
			wrong.push(`another order or copies change ${name}`);
	};
	same('Get Uptime', await uptimeRows(asked, from, to), await uptimeRows(asked, from, to, other));
	const options = { now: plan.to, assets: [STATION] };
	const settings = SETTINGS[plan.seed % SETTINGS.length] ?? {};
	same(
		'Get Incidents',
		await incidents(asked.events, settings, { ...options, from: BEGIN }),
		await incidents(asked.events, settings, { ...options, ...other, from: BEGIN }),
	);
	same(
		'Get Status',
		await status(asked.events, { ...options, from: plan.to }),
		await status(asked.events, { ...options, ...other, from: plan.to }),
	);
	return wrong;
}

/** All that one connector says after its first report becomes heartbeats, which keep the station alive. */
async function others(asked: Asked): Promise<string[]> {
	const { plan, truth } = asked;
	// A boot counts if any connector reports; a component without a number is that of the only connector.
	const isTangled =
		plan.steps.some((step) => step.what === 'boot') ||
		plan.version === 'updated' ||
		isHeardLater(asked);
	if (isTangled) return [];
	const wrong: string[] = [];
	const [from, to] = [wholeMinute(FROM), wholeMinute(plan.to)];
	const before = await uptimeRows(asked, from, to);
	for (const place of truth.connectors.keys()) {
		const quiet = plan.steps.map((step): Step => {
			const isOwn = 'connector' in step && placeName(step) === place;
			if (!isOwn || step.at === truth.connectors.get(place)) return step;
			return { at: step.at, version: step.version, what: 'heartbeat' };
		});
		const after = await uptimeRows({ ...asked, events: eventsOf(quiet) }, from, to);
		for (const row of before) {
			const name = nameOf(row, 'connector');
			if (name === place) continue;
			const same = after.find((one) => nameOf(one, 'connector') === name);
			if (JSON.stringify(same) === JSON.stringify(row)) continue;
			const kinds = CATEGORIES.filter((kind) => minutesIn(row, kind) !== minutesIn(same, kind));
			wrong.push(
				`what one place says changes another: ${place} changes ${name}: ${kinds.join(', ')}`,
			);
		}
	}
	return wrong;
}
