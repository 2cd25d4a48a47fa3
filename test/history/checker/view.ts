/** A history in the order of its questions: by event, by execution, by process. */
import type { Fact, Line, Outcome, Settings, Step } from '../history';

export type LineOf<What extends Step['what']> = Extract<Line, { what: What }>;

/** The nodes after the trigger ran with an event. */
export interface Start {
	readonly at: number;
	readonly event: string;
	readonly execution: string;
	readonly by: string;
	readonly mode: string;
	readonly acknowledge: Settings['acknowledge'];
	readonly isMarked: boolean;
	/** How n8n saved that it ended; absent if it never did. */
	end?: {
		readonly at: number;
		readonly outcome: Outcome | 'not saved';
		/** Of one that was not saved. */
		readonly isCanceled?: boolean;
	};
}

/** From `from` until `to`, in Unix milliseconds. */
export interface Period {
	readonly from: number;
	readonly to: number;
}

export interface EventView {
	readonly id: string;
	readonly created: LineOf<'created'>;
	/** When it was first listed; Infinity if it never was. */
	readonly listedAt: number;
	readonly starts: readonly Start[];
	readonly stored: readonly LineOf<'stored'>[];
	readonly responses: readonly LineOf<'response'>[];
	/** Requests to replay it: from the question to the result, and whether it was to start again; undefined if that is unknown. */
	readonly replays: readonly (Period & { readonly isTaken: boolean | undefined })[];
	readonly entries: readonly LineOf<'entry'>[];
}

const FAULTS_OF_LEDGER = ['locked', 'broken', 'syncFails', 'syncSlow'];
const NOT_WRITABLE = ['locked', 'broken'];
const LOSSES = ['ledger lost', 'ledger restored'];

export class View {
	readonly history: readonly Line[];
	readonly world: LineOf<'world'>;
	readonly events: readonly EventView[];
	/** The items of incidents and sessions, as events. */
	readonly items: readonly EventView[];
	/** Events and items. */
	readonly startable: readonly EventView[];
	/** The starts with events that the service has not created. */
	readonly strangers: readonly Start[];
	readonly publications: readonly LineOf<'published'>[];
	/** By delivery. */
	readonly sent: ReadonlyMap<string, LineOf<'sent'>>;
	/** Nothing is disturbed after it. */
	readonly quietAt: number;
	readonly endAt: number;
	/** When the event ledger was lost, or replaced by a copy. */
	readonly losses: readonly number[];
	readonly #faults: readonly (Period & { readonly fault: string })[];
	readonly #downs: ReadonlyMap<string, number>;
	readonly #pauses: ReadonlyMap<string, readonly Period[]>;

	constructor(history: readonly Line[]) {
		this.history = history;
		const world = this.all('world')[0];
		if (world === undefined) throw new Error('A history begins with its world');
		this.world = world;
		this.publications = this.all('published');
		this.sent = new Map(this.all('sent').map((line) => [line.delivery, line]));
		this.endAt = history.at(-1)?.at ?? 0;
		this.quietAt = this.all('quiet')[0]?.at ?? this.endAt;
		this.losses = this.all('fault').flatMap(({ at, fault }) =>
			LOSSES.includes(fault) ? [at] : [],
		);
		this.#faults = this.#periodsOfFaults();
		this.#downs = new Map(
			this.all('process').flatMap(({ process, is, at }) =>
				is === 'killed' || is === 'exited' ? [[process, at] as const] : [],
			),
		);
		this.#pauses = this.#periodsOfPauses();
		const starts = this.#startsOf();
		this.events = this.#eventsOf(starts);
		this.items = this.#itemsOf(starts);
		this.startable = [...this.events, ...this.items];
		const known = new Set(this.startable.map(({ id }) => id));
		this.strangers = starts.filter(({ event }) => !known.has(event));
	}

	/** Whether the history can say all of it. */
	holds(...facts: readonly Fact[]): boolean {
		const { holds, isField = false } = this.world;
		if (isField && facts.includes('says')) return false;
		return holds === undefined || facts.every((fact) => holds.includes(fact));
	}

	all<What extends Step['what']>(what: What): LineOf<What>[] {
		return this.history.filter((line): line is LineOf<What> => line.what === what);
	}

	/** When the process died or ended; Infinity if it lives at the end. */
	downAt(process: string): number {
		return this.#downs.get(process) ?? Infinity;
	}

	/** When it died, or was paused before that, or could not renew its session: it tries again each second. */
	silentAt(process: string): number {
		const diedAt = this.downAt(process);
		const pause = this.#pauses.get(process)?.find(({ to }) => to === diedAt);
		let silentAt = pause?.from ?? diedAt;
		for (const { fault, from, to } of this.#faults.toReversed())
			if (NOT_WRITABLE.includes(fault) && to > silentAt - 1_000)
				silentAt = Math.min(silentAt, from);
		return silentAt;
	}

	/** The longest time for which the process was paused within the period. */
	pausedMs(process: string, { from, to }: Period): number {
		const pauses = this.#pauses.get(process) ?? [];
		return Math.max(
			0,
			...pauses.map((pause) => (pause.from < to && pause.to > from ? pause.to - pause.from : 0)),
		);
	}

	/** Whether a fault of this kind was there within the period. */
	hadFault({ from, to }: Period, kinds: readonly string[] = FAULTS_OF_LEDGER): boolean {
		return this.#faults.some(
			(each) => kinds.includes(each.fault) && each.from < to && each.to > from,
		);
	}

	/** Whether the ledger was lost or replaced within the period. */
	hadLoss({ from, to }: Period): boolean {
		return this.losses.some((at) => at >= from && at <= to);
	}

	/** When n8n next has stored the event or could not; Infinity if it never says. */
	storingEndedAt(event: string, after: number): number {
		const line = this.history.find(
			(each) =>
				(each.what === 'stored' || each.what === 'not stored') &&
				each.at > after &&
				each.events.includes(event),
		);
		return line?.at ?? Infinity;
	}

	/** The settings in force. */
	settingsAt(at: number): Settings | undefined {
		return this.publications.findLast((each) => each.at <= at)?.settings;
	}

	isWanted({ created }: EventView, { wants }: Settings): boolean {
		return wants === 'all' || created.type === 'ocpp.message';
	}

	/** Whether all settings in force within the period want the event. */
	isWantedAlways(event: EventView, { from, to }: Period): boolean {
		const first = this.settingsAt(from);
		const changed = this.publications
			.filter(({ at }) => at > from && at <= to)
			.map(({ settings }) => settings);
		return [...(first ? [first] : []), ...changed].every((settings) =>
			this.isWanted(event, settings),
		);
	}

	/** Whether the conditions were changed within the period. */
	hadOtherFilters({ from, to }: Period): boolean {
		return this.publications.some(
			({ at, settings }, n) =>
				at >= from &&
				at <= to &&
				n > 0 &&
				this.publications[n - 1]?.settings.wants !== settings.wants,
		);
	}

	isWantedEver(event: EventView, { from, to }: Period): boolean {
		const first = this.settingsAt(from);
		const changed = this.publications
			.filter(({ at }) => at > from && at <= to)
			.map(({ settings }) => settings);
		return [...(first ? [first] : []), ...changed].some((settings) =>
			this.isWanted(event, settings),
		);
	}

	/** The polls of a trigger that have ended. */
	polled(trigger?: 'station'): LineOf<'polled'>[] {
		return this.all('polled').filter((line) => line.trigger === trigger);
	}

	#itemsOf(allStarts: readonly Start[]): EventView[] {
		if (this.world.hasStation !== true) return [];
		const starts = grouped(allStarts, ({ event }) => [event]);
		const stored = grouped(this.all('stored'), ({ events }) => events);
		const entries = this.#entriesOf();
		const toldAt = new Map<string, number>();
		for (const { at, items } of this.all('told'))
			for (const { id } of items) if (!toldAt.has(id)) toldAt.set(id, at);
		return [...toldAt].map(([id, at]) => ({
			...{ id, created: { at, what: 'created', event: id, type: 'incident' }, listedAt: at },
			...{ starts: starts.get(id) ?? [], stored: stored.get(id) ?? [] },
			...{ responses: [], entries: entries.get(id) ?? [], replays: [] },
		}));
	}

	/** By event. The texts are without the number of their format. */
	#entriesOf(): Map<string, LineOf<'entry'>[]> {
		const entries = this.all('entry').map((line) => ({
			...line,
			...{ from: contentIn(line.from), to: contentIn(line.to) },
		}));
		return grouped(entries, ({ event }) => [event]);
	}

	#eventsOf(allStarts: readonly Start[]): EventView[] {
		const listed = new Map(this.all('listed').map(({ event, at }) => [event, at]));
		const starts = grouped(allStarts, ({ event }) => [event]);
		const stored = grouped(this.all('stored'), ({ events }) => events);
		const responses = grouped(this.all('response'), ({ event }) => [event]);
		const entries = this.#entriesOf();
		const replays = this.#replays();
		return this.all('created').map((created) => {
			const id = created.event;
			return {
				...{ id, created, listedAt: listed.get(id) ?? Infinity },
				...{ starts: starts.get(id) ?? [], stored: stored.get(id) ?? [] },
				...{ responses: responses.get(id) ?? [], entries: entries.get(id) ?? [] },
				replays: replays.get(id) ?? [],
			};
		});
	}

	#startsOf(): Start[] {
		const open = new Map<string, Start[]>();
		const all: Start[] = [];
		for (const line of this.history) {
			if (line.what === 'started') {
				const { at, execution, by, mode, acknowledge, events, replayed = [] } = line;
				const begun = events.map((event) => ({
					at,
					event,
					execution,
					by,
					mode,
					acknowledge,
					isMarked: replayed.includes(event),
				}));
				open.set(`${execution} ${by}`, begun);
				all.push(...begun);
			}
			if (line.what === 'ended') {
				for (const start of open.get(`${line.execution} ${line.by}`) ?? []) {
					start.end ??= { at: line.at, outcome: line.outcome };
				}
			}
			if (line.what === 'not saved') {
				for (const [key, begun] of open) {
					if (!key.startsWith(`${line.execution} `)) continue;
					const end = { outcome: 'not saved' as const, isCanceled: line.isCanceled === true };
					for (const start of begun) start.end ??= { at: line.at, ...end };
				}
			}
		}
		return all;
	}

	#replays(): Map<string, (Period & { isTaken: boolean | undefined })[]> {
		const found = new Map<string, (Period & { isTaken: boolean | undefined })[]>();
		let asked: LineOf<'replay asked'>[] = [];
		const add = (event: string, replay: Period & { isTaken: boolean | undefined }) => {
			found.set(event, [...(found.get(event) ?? []), replay]);
		};
		for (const line of this.history) {
			if (line.what === 'replay asked') asked.push(line);
			if (line.what !== 'replayed') continue;
			const first = asked.find(({ request }) => request === line.request);
			asked = asked.filter((each) => each !== first);
			for (const event of first?.events ?? []) {
				const result = line.events.find((each) => each.event === event);
				const isTaken = line.error === undefined ? result?.replayed === true : undefined;
				add(event, { from: first?.at ?? line.at, to: line.at, isTaken });
			}
		}
		// Its process died.
		for (const { events, at } of asked)
			for (const event of events) add(event, { from: at, to: at + 120_000, isTaken: undefined });
		return found;
	}

	#periodsOfFaults(): (Period & { fault: string })[] {
		const since = new Map<string, number>();
		const periods: (Period & { fault: string })[] = [];
		for (const { fault, is, at } of this.all('fault')) {
			if (is === 'once') periods.push({ fault, from: at, to: at });
			if (is === 'on' && !since.has(fault)) since.set(fault, at);
			const from = since.get(fault);
			if (is !== 'off' || from === undefined) continue;
			periods.push({ fault, from, to: at });
			since.delete(fault);
		}
		for (const [fault, from] of since) periods.push({ fault, from, to: this.quietAt });
		return periods;
	}

	#periodsOfPauses(): Map<string, Period[]> {
		const since = new Map<string, number>();
		const periods = new Map<string, Period[]>();
		for (const { process, is, at } of this.all('process')) {
			const from = since.get(process);
			if (is === 'paused') since.set(process, at);
			else if (from !== undefined && is !== 'ending') {
				periods.set(process, [...(periods.get(process) ?? []), { from, to: at }]);
				since.delete(process);
			}
		}
		for (const [process, from] of since)
			periods.set(process, [...(periods.get(process) ?? []), { from, to: Infinity }]);
		return periods;
	}
}

/** An entry without the number of its format. */
const contentIn = (text: string): string => text.replace(/^\d+/, '');

function grouped<T>(all: readonly T[], keysOf: (each: T) => readonly string[]): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const each of all) {
		for (const key of keysOf(each)) {
			const group = groups.get(key);
			if (group) group.push(each);
			else groups.set(key, [each]);
		}
	}
	return groups;
}
