/**
 * Writes the history of a workflow on a real n8n in the format of the simulation, so that the same checker judges it. Deliveries,
 * calls of executions and the ends of processes are noted as they happen; n8n's own list says what it stored and how that ended.
 */
import type { DeliveredEvent } from '../../../simulator';
import type { Fact, Line, Outcome, Settings, Step } from '../../history/history';
import type { Call, Counter } from '../counter';
import type { HostileList } from '../hostileList';
import { type Attempt, isAcknowledged } from '../sender';
import { passed } from './ledgerClock';
import { type Execution, type ExecutionSummary, waitingItemsOf, type Workflow } from './responses';
import type { N8nClient } from './rest';
import { type Run, runs } from './server';

interface Recorded {
	readonly client: Pick<N8nClient, 'listExecutions' | 'findExecution'>;
	readonly workflow: Pick<Workflow, 'id'>;
	readonly counter: Pick<Counter, 'calls'>;
	readonly settings: Settings;
	/** Whether each execution sleeps in a Wait node after its call. */
	readonly sleeps?: boolean;
	/** Of a poll trigger; none without one. Only a list that the test itself orders says when it listed what. */
	readonly poll?: { readonly startFrom: 'now' | 'retained'; readonly list?: HostileList };
}

export interface Recorder {
	/** Notes what only the test knows. */
	readonly note: (step: Step) => void;
	/** Notes events that may start, unless they are known from a delivery or the list. */
	expect(events: readonly { readonly id: string }[]): void;
	/** Notes a delivery. */
	readonly attempted: (event: DeliveredEvent, attempt: Attempt) => void;
	/** The history so far. */
	lines(): Promise<Line[]>;
}

/** What n8n's own list and the calls say of every workflow. */
const ALWAYS = [
	...(['world', 'created', 'published', 'stored', 'started', 'dropped', 'ended'] as const),
	...(['process', 'over'] as const),
];

const OUTCOMES: Partial<Record<ExecutionSummary['status'], Outcome>> = {
	success: 'success',
	error: 'error',
	canceled: 'canceled',
};

/** Note it before publishing the workflow. */
export function startRecorder(recorded: Recorded): Recorder {
	const { settings, poll } = recorded;
	const list = poll?.list;
	const publishedAt = Date.now();
	const notes: Line[] = [];
	const note = (step: Step, at = Date.now()) => {
		notes.push({ ...step, at });
	};
	const created = new Map<string, Line & { what: 'created' }>();
	const create = (event: string, type: string, createdAt?: number) => {
		if (created.has(event)) return;
		const at = Math.min(Date.now(), createdAt ?? publishedAt);
		created.set(event, { what: 'created', event, type, at, ...(createdAt && { createdAt }) });
	};
	const attempts: Sent[] = [];
	const stored = new Map<string, Stored>();
	note({ what: 'published', settings }, publishedAt);
	for (const { id } of list?.events ?? []) note({ what: 'listed', event: id }, publishedAt - 1);

	return {
		note,
		expect(events) {
			for (const { id } of events) create(id, 'ocpp.message');
		},
		attempted({ id, type, createdAt }, attempt) {
			create(id, type, Date.parse(createdAt));
			if (attempt.url === '') return;
			const { url, startedAt, endedAt, status, outcome, error } = attempt;
			const body = error === 'timeout' ? 'hung up' : (outcome ?? '');
			const delivery = `${attempts.length}`;
			attempts.push({ ...attempt, event: id });
			const at = url.endsWith('/done') ? 'own' : 'other';
			note({ what: 'sent', delivery, event: id, to: '', url: at }, startedAt);
			note({ what: 'response', delivery, event: id, status, body }, endedAt);
		},
		async lines() {
			for (const { id, eventType, createdAt } of list?.events ?? []) {
				create(id, eventType, Date.parse(createdAt));
			}
			const steps = [...notes, ...created.values(), ...listedIn(list), ...runs.flatMap(lifeOf)];
			steps.push(...(await executionsOf(recorded, { attempts, stored })));
			const last = { what: 'over', at: Date.now() } as const;
			const said = new Set(notes.map(({ what }) => what));
			const holds: Fact[] = [...ALWAYS, 'marks', ...said];
			if (list) holds.push('listed');
			if (recorded.sleeps) holds.push('asleep');
			if (passed.every(({ at }) => at < publishedAt)) holds.push('clock');
			const world: Line = {
				...{
					what: 'world',
					hasWebhook: true,
					hasPoll: poll !== undefined,
					reportsEnd: 'always',
					holds,
				},
				...{ startFrom: poll?.startFrom ?? 'now', pollMinutes: 1, at: 0 },
			};
			return [world, ...[...steps, last].sort((a, b) => a.at - b.at).map(asTheLedgerSees)];
		},
	};
}

type Sent = Attempt & { readonly event: string };

interface Stored {
	readonly at: number;
	/** The events that had not passed the trigger. */
	readonly waiting: readonly string[];
}

/** The time that the test has let pass for the ledger is part of the history. */
function asTheLedgerSees(line: Line): Line {
	const later = (at: number) =>
		passed.reduce((sum, each) => (each.at <= at ? sum + each.ms : sum), at);
	const { at } = line;
	if (line.what !== 'created' || line.createdAt === undefined) return { ...line, at: later(at) };
	return { ...line, at: later(at), createdAt: later(line.createdAt) };
}

const listedIn = (list?: HostileList): Line[] =>
	[...(list?.listedAt ?? [])].map(([event, at]) => ({ what: 'listed', event, at }));

function lifeOf({ name, startedAt, pauses, ended }: Run): Line[] {
	const steps = [
		{ is: 'up', at: startedAt } as const,
		...pauses.flatMap(({ from, to }) => [
			{ is: 'paused', at: from } as const,
			{ is: 'resumed', at: to } as const,
		]),
		...(ended ? [ended] : []),
	];
	return steps.map((step) => ({ what: 'process', process: name, ...step }));
}

const runsAt = (at: number): Run[] =>
	runs.filter(({ startedAt, ended }) => startedAt <= at && (ended?.at ?? Infinity) >= at);

/** What n8n stored, with its calls and its end. */
async function executionsOf(
	recorded: Recorded,
	{ attempts, stored }: { attempts: readonly Sent[]; stored: Map<string, Stored> },
): Promise<Line[]> {
	const { client, workflow, counter, settings, sleeps = false } = recorded;
	const rows = await client.listExecutions({ workflowId: workflow.id });
	const executions: Executed[] = [];
	for (const row of rows) {
		if (!['webhook', 'trigger', 'retry'].includes(row.mode)) continue;
		const calls = counter.calls.filter(({ execution }) => execution === row.id);
		const { at, waiting } =
			stored.get(row.id) ??
			storedOf(await client.findExecution(row.id), {
				at: row.startedAt === null ? (executions.at(-1)?.at ?? 0) : Date.parse(row.startedAt),
			});
		stored.set(row.id, { at, waiting });
		const passed = new Set(calls.flatMap(({ events }) => events));
		executions.push({
			row,
			at,
			last: calls.at(-1),
			events: passed.size > 0 ? [...passed] : waiting,
		});
	}
	const modes = new Map(rows.map(({ id, mode }) => [id, mode]));
	return [
		...counter.calls.map((call) => startedBy(call, modes, settings.acknowledge)),
		...(sleeps ? counter.calls.map(asleep) : []),
		...withLostEvents(executions, attempts, settings).flatMap((execution, n, all) => {
			const isCopy = all.slice(0, n).some((other) => isSameHandOver(other, execution));
			return [...(isCopy ? [] : [handedOver(execution, attempts, settings)]), ...endOf(execution)];
		}),
	];
}

/** A row of n8n's list. */
interface Executed {
	readonly row: ExecutionSummary;
	/** When n8n stored it. */
	readonly at: number;
	readonly events: readonly string[];
	/** Its last call; undefined if it has not passed its trigger. */
	readonly last: Call | undefined;
	/** As in the history. */
	readonly isGuess?: true;
}

/**
 * n8n does not keep what an execution got that passes nothing on, or whose worker dies before the first node. Its events are
 * then those that were accepted at that moment and are in no other execution.
 */
function withLostEvents(
	executions: readonly Executed[],
	attempts: readonly Sent[],
	{ batchSize }: Settings,
): Executed[] {
	const known: Executed[] = executions.filter(({ events }) => events.length > 0);
	const lost = executions.filter(({ events }) => events.length === 0);
	// Each takes the delivery that ends first of those that are open, which leaves the others for later executions.
	const byEnd = attempts.toSorted((a, b) => a.endedAt - b.endedAt);
	for (const execution of lost.toSorted((a, b) => a.at - b.at)) {
		const { at, row } = execution;
		const accepted = byEnd.filter(
			(each) =>
				row.mode === 'webhook' &&
				isAcknowledged(each) &&
				each.outcome !== 'duplicate' &&
				isOpen(each, at) &&
				!known.some((other) => isOpen(each, other.at) && other.events.includes(each.event)),
		);
		const events = new Set(accepted.slice(0, batchSize).map(({ event }) => event));
		known.push({ ...execution, events: [...events], isGuess: true });
	}
	return known;
}

const isOpen = ({ startedAt, endedAt }: Attempt, at: number): boolean =>
	startedAt <= at && endedAt >= at;

/** A test has copied the row in n8n's database. */
const isSameHandOver = (a: Executed, b: Executed): boolean =>
	a.at === b.at && a.events.length > 0 && a.events.join() === b.events.join();

function handedOver(
	{ row, at, events, isGuess }: Executed,
	attempts: readonly Sent[],
	{ acknowledge }: Settings,
): Line {
	const { id: execution, mode } = row;
	const by = storedBy({ events, at, mode }, attempts);
	return {
		...{ what: 'stored', execution, mode, events, acknowledge, at, ...by },
		...(isGuess && { isGuess }),
	};
}

function endOf({ row, events, last }: Executed): Line[] {
	const { id: execution, status, stoppedAt } = row;
	const outcome = OUTCOMES[status];
	if (outcome === undefined || stoppedAt === null) return [];
	const at = Date.parse(stoppedAt);
	if (last === undefined) return [{ what: 'dropped', execution, events, at }];
	const ended = { what: 'ended', execution, by: processOf(last), events } as const;
	const { response } = last;
	// A worker continues with an execution that was stopped, and n8n does not save how that ends.
	if (outcome === 'canceled' && response && response.at > at) {
		return [{ ...ended, outcome: response.isSuccess ? 'success' : 'error', at: response.at }];
	}
	return [{ ...ended, outcome, at }];
}

function startedBy(
	call: Call,
	modes: ReadonlyMap<string, string>,
	acknowledge: Settings['acknowledge'],
): Line {
	const { at, events, execution, isReplayed } = call;
	return {
		...{ what: 'started', execution, by: processOf(call), events, acknowledge, at },
		mode: modes.get(execution) ?? 'webhook',
		...(isReplayed && { replayed: events }),
	};
}

function asleep(call: Call): Line {
	const { at, events, execution, response } = call;
	const ended = { what: 'ended', execution, by: processOf(call), events } as const;
	return { ...ended, outcome: 'waiting', at: response?.at ?? at };
}

const processOf = ({ host, at }: Call): string =>
	runs.findLast((run) => run.host === host && run.startedAt <= at)?.name ?? '';

/**
 * The process that stored it: where a delivery of its events was open. Of several possible ones that which ended first, so
 * that a rule which depends on its life does not blame n8n.
 */
function storedBy(
	{ events, at, mode }: { events: readonly string[]; at: number; mode: string },
	attempts: readonly Sent[],
): { by: string; isDenied?: true } {
	const open = attempts.filter((each) => isOpen(each, at) && events.includes(each.event));
	const hosts = open.map(({ url }) => new URL(url).host);
	const alive = runsAt(at);
	const receivers = alive.filter(({ host }) => hosts.includes(host));
	const mains = alive.filter(({ command }) => command === 'start');
	const possible = mode === 'webhook' ? (receivers.length > 0 ? receivers : alive) : mains;
	const [first] = possible.sort((a, b) => (a.ended?.at ?? Infinity) - (b.ended?.at ?? Infinity));
	// What n8n says after the sender has hung up, nobody hears: perhaps that it could not store it.
	const mayBeDenied = (each: Sent) =>
		!isAcknowledged(each) && (each.status > 0 || each.error === 'timeout');
	const isDenied = open.length > 0 && open.every(mayBeDenied);
	return { by: first?.name ?? '', ...(isDenied && { isDenied }) };
}

/** `at`: for an execution of which n8n has no data. */
function storedOf(execution: Execution | undefined, { at }: { readonly at: number }): Stored {
	if (execution === undefined) return { at, waiting: [] };
	const waiting = waitingItemsOf(execution).flatMap(({ json: { id } }) =>
		typeof id === 'string' ? [id] : [],
	);
	return { at: Date.parse(execution.createdAt), waiting };
}
