/** Incidents and sessions of stations: each reported once, none that there was not, and the list followed without standing still. */
import type { StationSettings, Told } from '../../history';
import {
	type Epoch,
	epochsOf,
	isContinued,
	isLate,
	readIncidents,
	saidBy,
	variantsOf,
} from '../stations/epochs';
import { type Incident, isRepeated, type Said } from '../stations/reference';
import type { EventView, LineOf, Period, View } from '../view';
import { MINUTE_MS, ownStarts, polls, SECOND_MS, wasCutOff } from './facts';
import type { Found, Rule } from './rule';

/** The clocks of n8n and of the service, and whole seconds. */
const CLOCKS_MS = 5 * SECOND_MS;
/** Everything created before is listed, unless it is late. */
const GRACE_MS = MINUTE_MS;
/** A session whose start is not found waits for it. */
const START_WAIT_MS = 10 * MINUTE_MS;
/** Pages of a poll that are only partly unread: at both ends of what is new and of a stretch that was left unread. */
const SPARE_PAGES = 4;
const OVERLAP_MS = 2 * MINUTE_MS;
/** So many stretches are kept apart. */
const MOST_STRETCHES = 8;
/** Of what a catch-up has reached, some polls may be needed to say so. */
const SPARE_POLLS = 4;

const iso = (at: number) => (Number.isFinite(at) ? new Date(at).toISOString() : 'never');

export const STATIONS: readonly Rule[] = [
	{
		name: 'incidents are reported',
		promised: [
			{
				in: 'docs/station-trigger.md',
				text: 'once when an incident opens and once when it resolves.',
			},
		],
		needs: ['told', 'known', 'listed', 'settled', 'says'],
		*check(view) {
			const report = new Report(view);
			for (const epoch of report.epochs) {
				if (epoch.versions[0]?.kind === 'sessionEnded') yield* missingSessions(report, epoch);
				else yield* missingIncidents(report, epoch);
			}
		},
	},
	{
		name: 'no incident that there was not',
		promised: [
			{
				in: 'docs/station-trigger.md',
				text: 'Incidents that began before the workflow was first published are not reported.',
			},
		],
		needs: ['told', 'listed', 'says'],
		*check(view) {
			const report = new Report(view);
			for (const [at, told] of report.firsts) {
				const isRight = report.epochs.some(
					(epoch) =>
						epoch.from <= at &&
						epoch.versions[0]?.kind === told.kind &&
						mayTell(report, epoch, told, at),
				);
				if (!isRight) yield { at, message: `${textOf(told)} was reported, and there was none` };
			}
			// Also after it was reported as over by what the station has sent.
			for (const { at, items } of view.all('told'))
				for (const told of items)
					if (told.endedBy === 'settings' && !mayEndBySettings(report, at, told))
						yield { at, message: `${textOf(told)} ended, and the settings had not changed` };
		},
	},
	{
		name: 'no second incident',
		promised: [{ in: 'docs/station-trigger.md', text: 'none is reported twice' }],
		needs: ['told', 'says'],
		*check(view) {
			if (view.losses.length > 0) return;
			const report = new Report(view);
			yield* secondIncidents(report);
			yield* secondSessions(report);
		},
	},
	{
		name: 'the list is followed',
		promised: [
			{
				in: 'docs/station-trigger.md',
				text: 'While the list cannot be read, nothing opens or resolves.',
			},
		],
		needs: ['known', 'page', 'polling'],
		*check(view) {
			yield* goesBack(view);
			yield* writtenByOlder(view);
			yield* heldUpByPast(view);
			yield* standsStill(view);
			yield* rereads(view);
			yield* readsTwice(view);
		},
	},
];

/** What the station trigger of a history has reported, and what there was. */
class Report {
	readonly view: View;
	readonly epochs: readonly Epoch[];
	readonly stations: ReadonlyMap<string, readonly Said[]>;
	/** Each item when n8n first got it. */
	readonly firsts: readonly (readonly [at: number, told: Told])[];
	readonly items: ReadonlyMap<string, EventView>;
	readonly #known: readonly LineOf<'known'>[];
	/** By event: when the trigger read it. */
	#readAt: Map<string, number[]> | undefined;
	readonly #variants = new Map<Epoch, Map<string, Incident[][] | undefined>>();
	readonly #atOnce = new Map<Epoch, Epoch>();

	constructor(view: View) {
		this.view = view;
		this.epochs = epochsOf(view);
		this.stations = saidBy(view);
		this.items = new Map(view.items.map((item) => [item.id, item]));
		const firsts = new Map<string, readonly [number, Told]>();
		for (const { at, items } of view.all('told'))
			for (const told of items) if (!firsts.has(told.id)) firsts.set(told.id, [at, told]);
		this.firsts = [...firsts.values()];
		this.#known = view.all('known');
	}

	/** The same epoch, in which an incident is over as soon as the station says so. */
	atOnce(epoch: Epoch): Epoch {
		const known = this.#atOnce.get(epoch);
		if (known !== undefined) return known;
		const versions = epoch.versions.map((each) => ({ ...each, resolveAfterMinutes: 0 }));
		const made = { ...epoch, versions };
		this.#atOnce.set(epoch, made);
		return made;
	}

	/** By the possible knowledges of the station. */
	variants(asset: string, epoch: Epoch): Incident[][] | undefined {
		const known = this.#variants.get(epoch) ?? new Map<string, Incident[][] | undefined>();
		this.#variants.set(epoch, known);
		if (!known.has(asset)) known.set(asset, variantsOf(this.stations.get(asset) ?? [], epoch));
		return known.get(asset);
	}

	/** Whether n8n has stored or started an execution with the item by then. */
	isTold(id: string, by: number): boolean {
		const item = this.items.get(id);
		return [...(item?.stored ?? []), ...(item?.starts ?? [])].some(({ at }) => at <= by);
	}

	/** By when what is certain at this time has to be with n8n; Infinity if the trigger never knew so much of the list. */
	deadline(certainAt: number, { from, to }: Epoch): number {
		const { view } = this;
		const line = this.#known.find(
			({ at, upTo }) => at >= from && at < to && upTo >= certainAt + GRACE_MS + SECOND_MS,
		);
		return line === undefined ? Infinity : Math.max(line.at, view.quietAt) + polls(view);
	}

	/** Whether the trigger has read an event in this time. */
	isRead(event: string, { from, to }: Period): boolean {
		this.#readAt ??= this.#readings();
		// A history that does not say it.
		if (this.#readAt.size === 0) return true;
		return this.#readAt.get(event)?.some((at) => at >= from && at <= to) === true;
	}

	#readings(): Map<string, number[]> {
		const readAt = new Map<string, number[]>();
		for (const { at, reader, events } of this.view.all('page')) {
			if (reader !== 'station') continue;
			for (const event of events) readAt.set(event, [...(readAt.get(event) ?? []), at]);
		}
		return readAt;
	}

	/** Whether it is the end of an incident that this publication has rightly opened. */
	isRightlyOpened(epoch: Epoch, { incident, state }: Told): boolean {
		if (state !== 'resolved') return false;
		const opened = this.firsts.find(
			([at, told]) => at >= epoch.from && told.incident === incident && told.state === 'opened',
		);
		return opened !== undefined && mayTell(this, epoch, opened[1], opened[0]);
	}

	/** Whether another incident of the same connector was reported as over by then, which began and ended before this one. */
	isToldOver({ asset, connector, incident, since = 0 }: Told, by: number): boolean {
		return this.firsts.some(
			([at, told]) =>
				at < by &&
				told.asset === asset &&
				told.connector === connector &&
				told.incident !== incident &&
				(told.until ?? Infinity) <= since,
		);
	}

	/** What a lost ledger knew counts as reported. */
	isLost(since: number): boolean {
		const last = this.view.losses.at(-1);
		if (last === undefined) return false;
		const known = this.#known.find(({ at }) => at > last + 2 * MINUTE_MS)?.at ?? Infinity;
		return since <= known + CLOCKS_MS;
	}
}

function* missingIncidents(report: Report, epoch: Epoch): Generator<Found> {
	const { view } = report;
	for (const asset of report.stations.keys()) {
		const [first, ...others] = report.variants(asset, epoch) ?? [];
		for (const incident of first ?? []) {
			const { part, since } = incident;
			const isOld = (each: Incident) =>
				each.since <= epoch.polledAt + CLOCKS_MS || report.isLost(each.since);
			if (isOld(incident)) continue;
			const same = others.map((each) => each.find((other) => overlap(other, incident)));
			if (same.includes(undefined)) continue;
			const all = [incident, ...same.flatMap((each) => each ?? [])];
			// Without the late event that says when it was over, it may be one that counts as reported.
			if (all.some(isOld)) continue;
			if (isContinued(report.stations.get(asset) ?? [], epoch, incident)) continue;
			const deadline = report.deadline(Math.max(...all.map(({ opensAt }) => opensAt)), epoch);
			if (deadline >= Math.min(view.endAt, epoch.to)) continue;
			// Settings and late events may have made one of two, or two of one.
			const from = Math.min(...all.map((each) => each.since));
			const until = Math.max(...all.map((each) => each.until));
			const opened = toldOf(report, epoch).filter(
				(told) => told.part === part && told.since <= until && told.until >= from,
			);
			if (!opened.some(({ id }) => report.isTold(id, deadline))) {
				yield { at: deadline, message: `${part} since ${iso(since)} was not reported` };
				continue;
			}
			// With a lost ledger goes that one is still to resolve.
			const mayResolve = opened.filter((told) => !report.isLost(told.since));
			yield* missingEnds(report, epoch, { all, opened: mayResolve });
		}
	}
}

function* missingEnds(
	report: Report,
	epoch: Epoch,
	{ all, opened }: { all: readonly Incident[]; opened: readonly Opened[] },
): Generator<Found> {
	const { view } = report;
	if (!epoch.versions.every(({ reportResolved }) => reportResolved)) return;
	const closesAt = Math.max(...all.map((each) => each.closesAt));
	if (closesAt === Infinity) return;
	const deadline = report.deadline(closesAt, epoch);
	if (deadline >= Math.min(view.endAt, epoch.to)) return;
	for (const { id, incident, part } of opened) {
		// It waits until the other one need not be repeated.
		const item = report.items.get(id);
		// A user who retries an execution in n8n does not reach the trigger.
		const starts = item === undefined ? [] : ownStarts(item);
		const isSettled = starts.some(
			(start) =>
				start.at < deadline - polls(view) &&
				(start.acknowledge === 'stored' || start.end?.outcome === 'success'),
		);
		if (!isSettled || report.isTold(`${incident}.resolved`, deadline)) continue;
		yield {
			at: deadline,
			message: `${part} is over since ${iso(closesAt)}, and ${incident} was not resolved`,
		};
	}
}

interface Opened {
	readonly id: string;
	readonly incident: string;
	readonly part: string;
	readonly since: number;
	/** Infinity if it was not reported as over. */
	readonly until: number;
}

/**
 * What was reported as opened, with the end that was reported last; `only`: by that epoch. One of an epoch before it is never
 * reported as over if that did not report what resolved, and must not stand for one of this epoch.
 */
function toldOf({ firsts, epochs, stations, view }: Report, only?: Epoch): Opened[] {
	const ends = new Map<string, number>();
	for (const [, { incident, until }] of firsts) {
		if (incident === undefined || until === undefined) continue;
		ends.set(incident, Math.max(until, ends.get(incident) ?? 0));
	}
	return firsts.flatMap(([at, told]) => {
		const { id, incident, since, state } = told;
		if (incident === undefined || since === undefined || state !== 'opened') return [];
		const { from = -Infinity } = only ?? {};
		if (at < from || (view.losses.length === 0 && isListedBefore(stations, told, from))) return [];
		const epoch = only ?? epochs.findLast(({ from }) => from <= at);
		const settings = epoch?.versions[0];
		if (settings === undefined || settings.kind !== told.kind) return [];
		const part = partOf(told, settings);
		return [{ id, incident, part, since, until: ends.get(incident) ?? Infinity }];
	});
}

function partOf({ asset, connector, status, code }: Told, settings: StationSettings): string {
	const { kind, scope } = settings;
	if (kind === 'stationOffline' || (kind === 'connectorFault' && scope === 'station')) return asset;
	if (kind === 'connectorStatus') return `${asset} ${connector ?? ''} ${status ?? ''}`;
	if (scope === 'connector') return `${asset} ${connector ?? ''}`;
	return `${asset} ${connector ?? ''} ${code === 'NoError' ? '' : (code ?? '')}`;
}

const overlap = (a: Incident, b: Incident): boolean =>
	a.part === b.part && a.since <= b.until && a.until >= b.since;

/** `at`: when it was told first. */
function mayTell(report: Report, epoch: Epoch, told: Told, at: number): boolean {
	if (told.kind === 'sessionEnded') return maySession(report, epoch, told);
	const variants = report.variants(told.asset, epoch);
	const { since } = told;
	const [settings] = epoch.versions;
	if (since === undefined || settings === undefined) return false;
	if (variants === undefined) return true;
	const isBefore = isListedBefore(report.stations, told, epoch.from);
	const isWrong = isBefore && report.view.losses.length === 0;
	// The past can show later that it began before.
	if (isWrong && !report.isRightlyOpened(epoch, told)) return false;
	const part = partOf(told, settings);
	// At once means before earlier events of the last minute are listed.
	const isAtOnce = epoch.versions.some(({ forMinutes }) => forMinutes === 0);
	const isNear = (incident: Incident) =>
		isRepeated(settings)
			? since <= incident.until && since >= incident.since - settings.withinMinutes * MINUTE_MS
			: since === incident.since ||
				(isAtOnce && since > incident.since && since <= incident.since + GRACE_MS);
	const read = readIncidents(report.stations.get(told.asset) ?? [], epoch, ({ event }) =>
		report.isRead(event, { from: epoch.from, to: at }),
	);
	const own = [...variants.flat(), ...read].filter((incident) => incident.part === part);
	// A late event can join it with one that was over: it begins where that ended, or with what the station said after that.
	const isAfterEnd =
		report.isToldOver(told, at) &&
		report
			.variants(told.asset, report.atOnce(epoch))
			?.some((each) => each.some((begun) => begun.part === part && begun.since === since)) === true;
	const isRest = (incident: Incident) =>
		incident.since < since &&
		since < incident.until &&
		(isAfterEnd || own.some(({ until }) => until === since));
	return own.some((incident) => isNear(incident) || isRest(incident));
}

const isListedBefore = (stations: Report['stations'], { asset, since }: Told, time: number) =>
	(stations.get(asset) ?? []).some(({ at, listedAt }) => at === since && listedAt < time);

/** Whether other settings were published after it began. */
const mayEndBySettings = ({ epochs }: Report, at: number, { since = 0 }: Told): boolean =>
	epochs.slice(1).some(({ from, polledAt }) => from <= at && since <= polledAt);

function maySession({ stations }: Report, epoch: Epoch, told: Told): boolean {
	const said = stations.get(told.asset) ?? [];
	const own = said.filter(
		({ says }) => says.about === 'session' && says.transaction === told.transaction,
	);
	const end = own.find(({ says }) => says.about === 'session' && says.isEnd);
	if (end === undefined || end.listedAt < epoch.from || end.says.about !== 'session') return false;
	const isKnown = own.every((each) => !isLate(each));
	if (isKnown) return told.energyKwh === end.says.energyKwh;
	// Of a session whose start is late, it is the energy since the first reading.
	return (told.energyKwh ?? 0) <= end.says.energyKwh;
}

function* missingSessions(report: Report, epoch: Epoch): Generator<Found> {
	const { view } = report;
	for (const said of report.stations.values()) {
		for (const end of said) {
			const { says, at, asset } = end;
			if (says.about !== 'session' || !says.isEnd || isLate(end)) continue;
			if (at <= epoch.polledAt + CLOCKS_MS || report.isLost(at)) continue;
			const deadline = report.deadline(at + START_WAIT_MS, epoch);
			if (deadline >= Math.min(view.endAt, epoch.to)) continue;
			const isTold = report.firsts.some(
				([, told]) =>
					told.asset === asset &&
					told.transaction === says.transaction &&
					report.isTold(told.id, deadline),
			);
			if (!isTold)
				yield { at: deadline, message: `session ${says.transaction} of ${asset} was not reported` };
		}
	}
}

/** Incidents of the same part never overlap. */
function* secondIncidents(report: Report): Generator<Found> {
	const all = toldOf(report);
	const kinds = new Map(report.firsts.map(([at, { id, kind }]) => [id, { at, kind }]));
	for (const [n, a] of all.entries()) {
		for (const b of all.slice(n + 1)) {
			const [first, second] = a.since <= b.since ? [a, b] : [b, a];
			const isSame = kinds.get(a.id)?.kind === kinds.get(b.id)?.kind && a.part === b.part;
			const isOpen = first.until === Infinity;
			if (!isSame || isOpen || second.since >= first.until) continue;
			yield {
				at: kinds.get(b.id)?.at ?? 0,
				message: `${a.part} since ${iso(second.since)} is a second incident: one lasted from ${iso(first.since)} to ${iso(first.until)}`,
			};
		}
	}
	for (const { id } of all) {
		const resolved = report.items.get(id.replace(/opened$/, 'resolved'));
		const opened = report.items.get(id);
		const begunAt = resolved?.starts[0]?.at ?? Infinity;
		if (opened === undefined || begunAt === Infinity || wasCutOff(report.view, opened)) continue;
		if ((opened.starts[0]?.at ?? Infinity) > begunAt)
			yield { at: begunAt, message: `${id} began after what says that it is over` };
	}
}

function* secondSessions({ firsts }: Report): Generator<Found> {
	const known = new Map<string, string>();
	for (const [at, { id, asset, transaction }] of firsts) {
		if (transaction === undefined) continue;
		const session = `${asset} ${transaction}`;
		const first = known.get(session) ?? id;
		known.set(session, first);
		if (first !== id)
			yield { at, message: `session ${transaction} of ${asset} was reported twice` };
	}
}

/**
 * Up to when everything is known only moves forward, unless the ledger is lost, or a publication with other settings writes
 * for the first time: a poll of the one before may have written later than it was published.
 */
function* goesBack(view: View): Generator<Found> {
	const heads = view.all('generation').filter(({ record }) => record.endsWith(':head'));
	let before: LineOf<'known'> | undefined;
	for (const line of view.all('known')) {
		const from = before?.at ?? 0;
		const isNew = heads.some(({ at }) => at >= from && at <= line.at);
		const wasLost =
			view.hadLoss({ from, to: line.at }) || view.hadFault({ from, to: line.at }, ['power cut']);
		if (before !== undefined && line.upTo < before.upTo && !isNew && !wasLost)
			yield {
				at: line.at,
				message: `what is known went back from ${iso(before.upTo)} to ${iso(line.upTo)}`,
			};
		before = line;
	}
}

/** A poll of an earlier publication changes nothing of a later one, unless the ledger does not know that any more. */
function* writtenByOlder(view: View): Generator<Found> {
	const latest = new Map<string, LineOf<'generation'>>();
	for (const line of view.all('generation')) {
		const before = latest.get(line.record);
		latest.set(line.record, line);
		if (before === undefined || line.generation > before.generation) continue;
		const period = { from: before.at, to: line.at };
		if (!view.hadLoss(period) && !view.hadFault(period, ['power cut']))
			yield {
				at: line.at,
				message: `${line.by} wrote ${line.record} for an earlier publication`,
			};
	}
}

/**
 * What was listed before a publication holds up nothing: its first poll knows everything that was created before the poll began.
 * After the loss of the ledger, the past is read first.
 */
function* heldUpByPast(view: View): Generator<Found> {
	for (const { from, to } of epochsOf(view)) {
		const poll = view.polled('station').find(({ at, error }) => at > from && error === undefined);
		const began = view
			.all('polling')
			.findLast(
				({ by, version, at }) => by === poll?.by && version === poll.version && at < poll.at,
			);
		if (poll === undefined || began === undefined || began.at < from || poll.at > to) continue;
		const period = { from: -Infinity, to: poll.at };
		if (view.hadLoss(period) || view.hadFault(period, ['power cut'])) continue;
		const known = view
			.all('known')
			.filter(({ by, at }) => by === poll.by && at >= began.at && at <= poll.at);
		const upTo = Math.max(...known.map((line) => line.upTo));
		if (known.length > 0 && upTo < began.at - CLOCKS_MS)
			yield {
				at: poll.at,
				message: `the first poll of a publication knows the list up to ${iso(upTo)} only`,
			};
	}
}

/** After the disturbances, some polls are enough to know what was created until then. */
function* standsStill(view: View): Generator<Found> {
	const { quietAt, endAt } = view;
	const first = view.publications[0]?.at ?? Infinity;
	const [load] = view.all('load');
	let most = SPARE_POLLS;
	if (load !== undefined) {
		const { pagesPerPoll, everyMs, pageSize } = load;
		// After the loss of the ledger, the past is read first, too.
		const from = view.losses.length > 0 ? Math.min(first, load.from) : first;
		const pages = (endAt - from) / everyMs / pageSize;
		const freshMs = view.world.pollMinutes * MINUTE_MS + OVERLAP_MS;
		const fresh = Math.ceil(freshMs / everyMs / pageSize);
		most += Math.ceil(pages / Math.max(1, pagesPerPoll - fresh - 1));
	}
	const polled = view
		.polled('station')
		.filter(({ at, error }) => at > quietAt + GRACE_MS && error === undefined);
	const last = polled[most];
	if (last === undefined) return;
	const upTo = Math.max(
		0,
		...view.all('known').flatMap(({ at, upTo }) => (at >= quietAt && at <= last.at ? [upTo] : [])),
	);
	if (upTo < quietAt - GRACE_MS - CLOCKS_MS)
		yield {
			at: last.at,
			message: `${most} polls after the disturbances, the list is known up to ${iso(upTo)}`,
		};
}

/** A poll of the station trigger that has not ended. */
interface OpenPoll {
	readonly by: string;
	readonly version: number;
	/** How many events of the load there were. */
	readonly events: number;
	readonly pages: (readonly [least: number, greatest: number])[];
	/** No other one was open meanwhile. */
	isAlone: boolean;
}

/** A poll that reads some pages leaves fewer that nothing has read. */
function* rereads(view: View): Generator<Found> {
	const [load] = view.all('load');
	const first = view.publications[0]?.at;
	if (load === undefined || first === undefined) return;
	const { everyMs, pageSize } = load;
	const countAt = (at: number) => Math.max(0, Math.floor((at - load.from) / everyMs));
	// What was listed before a publication holds up nothing. It is one once its first poll has ended: n8n may have been down before.
	let old = countAt(first);
	let isPublishing = true;
	// What a poll has read counts once it has ended, and as long as its ledger and its settings last.
	let isRead: boolean[] = [];
	// A poll that fails keeps what it has read so far, unless that is what failed.
	let mayBeRead: boolean[] = [];
	const starts = new Set(epochsOf(view).map(({ from }) => from));
	const unreadOf = (events: number) => {
		let unread = 0;
		for (let n = old; n < events; n += 1)
			if (isRead[n] !== true && mayBeRead[n] !== true) unread += 1;
		return unread;
	};
	const overlapPages = Math.ceil(OVERLAP_MS / everyMs / pageSize);
	// How many polls could not read all that was new and the two minutes behind it since nothing was unread: each left a stretch.
	let stretches = 0;
	let open: OpenPoll[] = [];
	for (const line of view.history) {
		// A process that is paused reads on; one that has ended keeps what it has written.
		if (line.what === 'process' && (line.is === 'killed' || line.is === 'exited'))
			open = open.filter(({ by }) => by !== line.process);
		if (line.what === 'known') {
			for (const { pages } of open.filter(({ by }) => by === line.by))
				for (const [oldest, newest] of pages)
					for (let n = oldest; n <= newest; n += 1) mayBeRead[n] = true;
		}
		if (line.what === 'fault' && line.is === 'once') {
			// A ledger that has lost its data, or the last seconds of it, has an older position, or none.
			if (line.fault !== 'database restored') return;
			open = [];
		}
		if (line.what === 'published' && starts.has(line.at)) {
			old = countAt(line.at);
			isPublishing = true;
			isRead = [];
			mayBeRead = [];
			// What a poll of the one before still reads is of no use to it.
			open = [];
		}
		if (line.what === 'polling' && isPublishing) old = countAt(line.at);
		if (line.what === 'polling' || line.what === 'published' || line.what === 'unpublished')
			for (const poll of open) poll.isAlone = false;
		if (line.what === 'polling') {
			const { by, version, at } = line;
			open.push({ by, version, events: countAt(at), pages: [], isAlone: open.length === 0 });
		}
		if (line.what === 'page' && line.reader === 'station') {
			for (const poll of open) if (poll.by === line.by) poll.pages.push(line.load ?? [0, -1]);
		}
		if (line.what !== 'polled' || line.trigger !== 'station') continue;
		const poll = open.find(({ by, version }) => by === line.by && version === line.version);
		open = open.filter((each) => each !== poll);
		if (poll === undefined) continue;
		isPublishing &&= line.error !== undefined;
		if (line.error !== undefined) {
			for (const [oldest, newest] of poll.pages)
				for (let n = oldest; n <= newest; n += 1) mayBeRead[n] = true;
			continue;
		}
		// A list that begins with its oldest event is read from there: that is progress too.
		const fresh = Math.max(0, poll.events - isRead.length) / pageSize;
		if (poll.pages.length <= fresh + overlapPages + 2) stretches += 1;
		let gained = 0;
		for (const [oldest, newest] of poll.pages) {
			for (let n = oldest; n <= newest; n += 1) {
				if (isRead[n] !== true) gained += 1;
				isRead[n] = true;
			}
		}
		const left = unreadOf(poll.events);
		if (left <= pageSize) stretches = 0;
		// Of too many, the two oldest are joined, with what lies between.
		if (!poll.isAlone || stretches > MOST_STRETCHES) continue;
		// What was listed late in the two minutes before a gap is read with the gap.
		const least = (poll.pages.length - 2 * overlapPages - SPARE_PAGES) * pageSize;
		if (left <= pageSize || gained >= least) continue;
		const inPages = (events: number) => (events / pageSize).toFixed(1);
		yield {
			at: line.at,
			message: `a poll read ${poll.pages.length} pages, of which ${inPages(gained)} had not been read, and left ${inPages(left)} unread`,
		};
	}
}

/** While a poll reads, the next one of its process and publication leaves the list to it. */
function* readsTwice(view: View): Generator<Found> {
	let open: LineOf<'polling'>[] = [];
	for (const [n, line] of view.history.entries()) {
		if (line.what === 'polling') open.push(line);
		if (line.what === 'polled') open = open.filter(({ poll }) => poll !== line.poll);
		// It has read once it has written what it knows; that it has polled is noted later. A publication reads on after its first head.
		if (line.what === 'known' && view.history[n + 1]?.what !== 'generation') {
			const done = open.find(({ by }) => by === line.by);
			open = open.filter((poll) => poll !== done);
		}
		if (line.what !== 'page' || line.poll === undefined) continue;
		const own = open.find(({ poll }) => poll === line.poll);
		const other = open.find(
			({ by, version, poll }) =>
				poll < (own?.poll ?? 0) && by === own?.by && version === own.version,
		);
		if (other !== undefined)
			yield {
				at: line.at,
				message: `poll ${line.poll} of ${line.by} read while poll ${other.poll} had not ended`,
			};
	}
}

function textOf(told: Told): string {
	const { id, kind, asset, connector, since, transaction } = told;
	const what = transaction ?? (since === undefined ? '' : `since ${iso(since)}`);
	return `${id} (${kind} of ${asset} ${connector ?? ''} ${what})`;
}
