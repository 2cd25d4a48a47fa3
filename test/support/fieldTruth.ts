/** Compares what the station trigger reported of a history of the field with what truly happened. Each complaint is a text. */
import { MINUTE_MS, type StationSettings } from '../../lib/station/common/settings';
import type { History } from '../../simulator/data/field/habits/history';
import type { TrueFault, TrueSession } from '../../simulator/data/field/habits/truth';

/** What is reported of a station. */
export type Reported = Record<string, unknown> & {
	readonly assetId: string;
	/** When the poll was that reported it, in Unix milliseconds. */
	readonly toldAt: number;
};

export interface Listing {
	/** By the ID of the event, how long after its creation the list has it. */
	readonly lateMs: ReadonlyMap<string, number>;
	readonly items: readonly Reported[];
}

export type JudgedSettings = Pick<
	StationSettings,
	'kind' | 'forMs' | 'resolveAfterMs' | 'statuses' | 'scope' | 'times' | 'withinMs'
>;

/** A fault that is told by two messages begins and ends within this. */
const CLOSE_MS = 5_000;
/** From then on after its creation, an event can be too late for a decision. */
const LATE_MS = 45_000;
/** Each poll reads that again: what is listed sooner is known before a state has lasted for minutes. */
const OVERLAP_MS = 2 * MINUTE_MS;
/** Polls are at most so far apart: what is listed late, by up to the two minutes that each of them reads again, is read within this. */
const LOOK_BACK_MS = 20 * MINUTE_MS;
/** A session waits this long for its start. */
const WAIT_MS = 9 * MINUTE_MS;
/** Ends of the same session. */
const KWH = 0.0011;

export function complaints(history: History, listing: Listing, settings: JudgedSettings): string[] {
	const judge = { history, listing, settings };
	const found = {
		stationOffline: offline,
		connectorStatus: statuses,
		connectorFault: settings.times > 1 ? repeated : faults,
		sessionEnded: sessions,
	}[settings.kind](judge);
	return [...found, ...pairs(listing)];
}

interface Judge {
	readonly history: History;
	readonly listing: Listing;
	readonly settings: JudgedSettings;
}

interface Stretch {
	readonly assetId: string;
	/** Empty for a whole station. */
	readonly part: string;
	readonly from: number;
	readonly to: number;
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);
const iso = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms));
const shownOf = ({ assetId, part, from, to }: Stretch) =>
	`${assetId} ${part} ${iso(from)} to ${iso(to)}`;
/** `1` and `1/1` are the same EVSE; `0` and null are the station. */
const evseOf = (connector: unknown) =>
	typeof connector !== 'string' || /^0(\/0)?$/.test(connector) ? '' : connector.replace(/\/.*/, '');

/** Everything that is reported has an opening before its end, and each once. */
function pairs({ items }: Listing): string[] {
	const opened = items.filter(({ state }) => state === 'opened');
	const ids = new Set(opened.map(({ incident }) => incident));
	return items
		.filter(({ state, incident }) => state === 'resolved' && !ids.has(incident))
		.map(({ incident }) => `resolved without having opened: ${String(incident)}`);
}

interface Incident extends Stretch {
	readonly item: Reported;
	/** As the opened item says. */
	readonly opened: Reported;
}

/** Opened and resolved items as one, by the last that is known. */
function incidents({ items }: Listing, partOf: (item: Reported) => string): Incident[] {
	const byId = Object.groupBy(items, ({ incident }) => String(incident));
	return Object.values(byId).flatMap((all = []) => {
		const opened = all.find(({ state }) => state === 'opened');
		const item = all.find(({ state }) => state === 'resolved') ?? opened;
		if (item === undefined || opened === undefined) return [];
		const to = timeOf(item['until']);
		return [
			{
				...{ item, opened, assetId: item.assetId, part: partOf(item) },
				from: timeOf(item['since']),
				to: item['state'] === 'resolved' ? to : Infinity,
			},
		];
	});
}

const isSame = (one: Stretch, other: Stretch) =>
	one.assetId === other.assetId && one.part === other.part;
const overlap = (one: Stretch, other: Stretch) =>
	isSame(one, other) && one.from <= other.to + CLOSE_MS && other.from <= one.to + CLOSE_MS;
/** One that only comes near is that of another stretch, if it is in that one. */
const isOwn = (incident: Stretch, stretch: Stretch, truth: readonly Stretch[]) =>
	overlap(incident, stretch) &&
	(isWithin(incident, stretch) || !truth.some((other) => isWithin(incident, other)));
const isWithin = (one: Stretch, other: Stretch) =>
	isSame(one, other) && one.from < other.to && other.from < one.to;
const isNear = (one: number, other: number) => one === other || Math.abs(one - other) <= CLOSE_MS;

/** Each true stretch that is long enough opened once and resolved at its end, and nothing else did. */
function lasting(judge: Judge, truth: readonly Stretch[], found: readonly Incident[]): string[] {
	const { forMs, resolveAfterMs } = judge.settings;
	const wrong: string[] = [];
	for (const stretch of truth) {
		const length = stretch.to - stretch.from;
		const own = found.filter((incident) => isOwn(incident, stretch, truth));
		const isExact = Math.abs(length - forMs) <= CLOSE_MS;
		if (length >= forMs + CLOSE_MS && own.length !== 1) {
			wrong.push(`${own.length} incidents of ${shownOf(stretch)}: ${own.map(shownOf).join()}`);
		}
		for (const incident of length >= forMs || isExact ? own : []) {
			if (!isNear(incident.from, stretch.from) && !isReadLater(judge, incident, stretch.from)) {
				wrong.push(`since ${iso(incident.from)}, not ${shownOf(stretch)}`);
			}
			const next = truth.find(
				(other) =>
					isSame(other, stretch) &&
					other.from > stretch.from &&
					other.from < stretch.to + resolveAfterMs,
			);
			const isUntil = isNear(incident.to, stretch.to);
			const isCut =
				isReadLater(judge, incident, stretch.to) || isAfterFlap(judge, incident, stretch);
			if (!next && !isUntil && !isCut) {
				wrong.push(`until ${iso(incident.to)}, not ${shownOf(stretch)}`);
			}
		}
	}
	for (const incident of found) {
		const isTrue = truth.some(
			(stretch) => stretch.to - stretch.from >= forMs - CLOSE_MS && overlap(incident, stretch),
		);
		const isCut = (stretch: Stretch) =>
			overlap(incident, stretch) && isReadLater(judge, incident, stretch.to, OVERLAP_MS);
		if (!isTrue && !truth.some(isCut) && !isExcused(judge, incident))
			wrong.push(`a false incident: ${shownOf(incident)}`);
	}
	return wrong;
}

/** What was said then was read after everything had been reported of the incident: it changes nothing any more. */
function isReadLater(
	{ history, listing }: Judge,
	{ assetId, item }: Incident,
	at: number,
	lateMs = LATE_MS,
): boolean {
	return history.events.some(({ id, createdAt, data }) => {
		const late = listing.lateMs.get(id) ?? 0;
		const isOwn = (data['asset'] as { id: string }).id === assetId;
		const isThen = isOwn && Math.abs(createdMs(createdAt) - at) <= CLOSE_MS;
		return isThen && late > lateMs && at + late + LOOK_BACK_MS > item.toldAt;
	});
}

/** Its end came and went again at once, and the message that says so was read later: it ends by the message after that one. */
function isAfterFlap(judge: Judge, incident: Incident, { to }: Stretch): boolean {
	const times = judge.history.events
		.filter(({ data }) => (data['asset'] as { id: string }).id === incident.assetId)
		.map(({ createdAt }) => createdMs(createdAt))
		.filter((at) => to < at && at < incident.to);
	const last = Math.max(...times);
	return judge.settings.kind === 'stationOffline' && isReadLater(judge, incident, last);
}

/** What ended it was listed too late, and it ended by that. */
function isExcused({ history, listing, settings }: Judge, incident: Incident): boolean {
	if (incident.to === Infinity || incident.to - incident.from >= settings.forMs) return false;
	return history.events.some(({ id, createdAt, data }) => {
		const at = createdMs(createdAt);
		const isOwn = (data['asset'] as { id: string }).id === incident.assetId;
		return isOwn && at === incident.to && (listing.lateMs.get(id) ?? 0) > LATE_MS;
	});
}

function offline(judge: Judge): string[] {
	const truth = judge.history.truth.outages.map(({ assetId, from, to = Infinity }) => {
		return { assetId, part: '', from, to };
	});
	return lasting(
		judge,
		truth,
		incidents(judge.listing, () => ''),
	);
}

function statuses(judge: Judge): string[] {
	const truth = judge.history.truth.statuses
		.filter(({ status }) => judge.settings.statuses.includes(status))
		.map(({ assetId, connector, status, from, to = Infinity }) => {
			return { assetId, part: `${evseOf(connector)} ${status}`, from, to };
		});
	const partOf = ({ connector, status }: Reported) => `${evseOf(connector)} ${String(status)}`;
	return lasting(judge, truth, incidents(judge.listing, partOf));
}

function stretchOf({ assetId, connector, from, to = Infinity }: TrueFault): Stretch {
	return { assetId, part: evseOf(connector), from, to };
}

function faults(judge: Judge): string[] {
	const { history, listing, settings } = judge;
	const truth = history.truth.faults.map(stretchOf);
	const partOf = ({ connector }: Reported) => evseOf(connector);
	if (settings.scope === 'station') {
		return lasting(
			judge,
			united(truth),
			incidents(listing, () => ''),
		);
	}
	const found = incidents(listing, partOf);
	if (settings.scope === 'connector') {
		return [
			...lasting(judge, truth, found),
			...history.truth.faults.flatMap((fault) => codesOf(fault, found)),
		];
	}
	return [
		...found
			.filter((incident) => !truth.some((stretch) => overlap(incident, stretch)))
			.map((incident) => `a false incident: ${shownOf(incident)}`),
		...history.truth.faults.flatMap((fault) => byCode(judge, fault, found)),
	];
}

/** One incident for each report that names a code for the first time, as they are read, and for a fault without any. */
function byCode(judge: Judge, fault: TrueFault, found: readonly Incident[]): string[] {
	const stretch = stretchOf(fault);
	const own = found.filter((incident) => overlap(incident, stretch));
	const named = new Set<string>();
	const news = fault.reports.filter(({ codes }) => {
		const isNew = codes.some((code) => !named.has(code));
		for (const code of codes) named.add(code);
		return isNew;
	});
	const isLate = ({ at }: { at: number }) => own.some((one) => isReadLater(judge, one, at));
	const most = Math.max(1, fault.reports.some(isLate) ? fault.reports.length : news.length);
	const wrong = own
		.filter((incident) => !isNear(incident.to, stretch.to))
		.filter((incident) => !isReadLater(judge, incident, stretch.to))
		.map((incident) => `until ${iso(incident.to)}, not ${shownOf(stretch)}`);
	if (own.length < 1 || own.length > most) {
		wrong.push(
			`${own.length} incidents of ${shownOf(stretch)}, not ${most}: ${own.map(shownOf).join()}`,
		);
	}
	const isSince = (incident: Incident) =>
		isNear(incident.from, stretch.from) || isReadLater(judge, incident, stretch.from);
	if (own.length > 0 && !own.some(isSince)) {
		wrong.push(`none since the beginning of ${shownOf(stretch)}`);
	}
	return [...wrong, ...codesOf(fault, found)];
}

const connectorOf = ({ connector }: Reported) => (typeof connector === 'string' ? connector : '');

/** The codes that an incident names are those of its fault, and it names one if it can. */
function codesOf(fault: TrueFault, found: readonly Incident[]): string[] {
	const stretch = stretchOf(fault);
	const known = new Set(fault.reports.flatMap(({ codes }) => codes));
	return found
		.filter((incident) => overlap(incident, stretch))
		.flatMap(({ item }) => {
			const { errorCode, vendorErrorCode } = item;
			const named = [errorCode, vendorErrorCode].filter((code) => typeof code === 'string');
			const codes = named.flatMap((code) => code.split(','));
			const strange = codes.filter((code) => !known.has(code));
			// In OCPP 2.0.1 the name of the component stands for a code.
			const isNamed =
				!stretch.part || item['connector'] === null || !/^\d+$/.test(connectorOf(item));
			if (fault.connector.includes('/') || !isNamed) return [];
			if (known.size > 0 && codes.length === 0) return [`no code: ${shownOf(stretch)}`];
			return strange.map((code) => `the code ${code} is none of ${shownOf(stretch)}`);
		});
}

function united(stretches: readonly Stretch[]): Stretch[] {
	const result: Stretch[] = [];
	for (const one of [...stretches].sort((a, b) => a.from - b.from)) {
		const part = '';
		const index = result.findLastIndex(({ assetId }) => assetId === one.assetId);
		const last = result[index];
		if (last && one.from <= last.to) result[index] = { ...last, to: Math.max(last.to, one.to) };
		else result.push({ ...one, part });
	}
	return result;
}

/** Several faults within a time: by the beginnings of the true faults. One that is read after the end was reported counts nowhere. */
function repeated(judge: Judge): string[] {
	const { history, listing, settings } = judge;
	const { times, withinMs, scope } = settings;
	const partOf = (connector: unknown) => (scope === 'station' ? '' : evseOf(connector));
	const truth = history.truth.faults.map((fault) => ({
		...stretchOf(fault),
		part: partOf(fault.connector),
	}));
	const found = incidents(listing, ({ connector }) => partOf(connector));
	const matches = (one: Stretch, other: Stretch) =>
		isSame(one, other) && isNear(one.from, other.from) && isNear(one.to, other.to);
	const groups = Object.groupBy(truth, ({ assetId, part }) => `${assetId} ${part}`);
	const expected = Object.values(groups).flatMap((all = []) => {
		const sorted = all.sort((a, b) => a.from - b.from);
		const windows: Stretch[] = [];
		let window: Stretch[] = [];
		for (const fault of sorted) {
			const last = windows.at(-1);
			if (last && fault.from <= last.to) {
				const closed = found.find((one) => matches(last, one));
				if (closed && isReadLater(judge, closed, fault.from)) continue;
				windows[windows.length - 1] = { ...last, to: fault.from + withinMs };
				continue;
			}
			window = [...window.filter(({ from }) => fault.from - from <= withinMs), fault];
			const [first] = window;
			if (!first || window.length < times) continue;
			windows.push({ ...first, to: fault.from + withinMs });
			window = [];
		}
		return windows;
	});
	return [
		...expected
			.filter((one) => !found.some((other) => matches(one, other)))
			.map((one) => `not reported: ${shownOf(one)}`),
		...found
			.filter((one) => !expected.some((other) => matches(one, other)))
			.map((one) => `a false incident: ${shownOf(one)}`),
	];
}

function sessions({ history, listing }: Judge): string[] {
	const wrong: string[] = [];
	const left = new Set(listing.items);
	for (const session of history.truth.sessions) {
		if (session.endShownAt.length === 0) continue;
		const rows = [...left].filter((row) => isOf(row, session));
		for (const row of rows) left.delete(row);
		const [row] = rows;
		if (row === undefined || rows.length > 1) {
			wrong.push(`${rows.length} rows of ${sessionText(session)}`);
		} else wrong.push(...judged(row, session, listing));
	}
	return [...wrong, ...[...left].map((row) => `a row of no session: ${JSON.stringify(row)}`)];
}

const sessionText = ({ assetId, connector, startedAt, stoppedAt, energyWh }: TrueSession) =>
	`${assetId} ${connector} ${iso(startedAt)} to ${iso(stoppedAt ?? NaN)}, ${energyWh} Wh`;

function isOf(row: Reported, session: TrueSession): boolean {
	if (row.assetId !== session.assetId) return false;
	if (session.stoppedAt !== undefined) {
		return session.endShownAt.includes(timeOf(row['receivedAt'])) && row['stoppedAt'] !== null;
	}
	// The start is by the station's clock, which can be wrong.
	const isThen = session.events.length > 0 && row['stoppedAt'] === null;
	const isHere = evseOf(row['connector']) === evseOf(session.connector);
	return isThen && isHere && Math.abs(timeOf(row['startedAt']) - session.startedAt) < 2 * MINUTE_MS;
}

function judged(row: Reported, session: TrueSession, { lateMs }: Listing): string[] {
	const wrong = (what: string) => [`${what}: ${JSON.stringify(row)}, not ${sessionText(session)}`];
	const { energyKwh, minutes, connector } = row;
	const trueKwh = session.energyWh / 1000;
	const isComplete = session.events.every((id) => (lateMs.get(id) ?? 0) < WAIT_MS);
	// Without a register of the end, the last reading counts that was listed when the session was decided.
	const isCut =
		String(row['energyFrom']).endsWith('last reading') &&
		session.events.some((id) => (lateMs.get(id) ?? 0) > LATE_MS);
	if (typeof energyKwh === 'number' && Math.abs(energyKwh - trueKwh) > KWH) {
		if (!isCut || energyKwh > trueKwh) return wrong('energy');
	}
	if (energyKwh === null && session.known.energy && isComplete) return wrong('no energy');
	if (connector !== null && evseOf(connector) !== evseOf(session.connector))
		return wrong('connector');
	if (session.stoppedAt === undefined) return [];
	const trueMinutes = (session.stoppedAt - session.startedAt) / MINUTE_MS;
	if (minutes === null) return session.known.start && isComplete ? wrong('no minutes') : [];
	if (typeof minutes !== 'number') return wrong('minutes');
	const isRight = Math.abs(minutes - trueMinutes) <= 1.1;
	// A start that cannot be told from another one may be left out, and not be wrong.
	return isRight || (session.known.start && !session.known.length) ? [] : wrong('minutes');
}

/** Some services write no zone. */
export const createdMs = (createdAt: string): number => Date.parse(createdAt.replace(/Z?$/, 'Z'));

const LATE_ONE_IN = 12;
const PUNCTUAL_MS = 30_000;

/** How long after its creation an event is listed: some up to `latestMs`, the others within half a minute. */
export function lateness(whole: (below: number) => number, latestMs: number): number {
	const isLate = latestMs > 0 && whole(LATE_ONE_IN) === 0;
	return whole(isLate ? latestMs : PUNCTUAL_MS);
}
