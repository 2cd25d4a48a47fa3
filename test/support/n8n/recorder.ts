/**
 * Writes the history of a workflow on a real n8n in the format of the simulation, so that the same checker judges it. Deliveries,
 * calls of executions and the ends of processes are noted as they happen; n8n's own list says what it stored and how that ended.
 */
import type { DeliveredEvent } from '../../../simulator';
import type { Fact, Line, Outcome, Settings, Step } from '../../simulation/history';
import type { Call, Counter } from '../counter';
import type { HostileList } from '../hostileList';
import { type Attempt, isAcknowledged } from '../sender';
import type { Execution, ExecutionSummary, Workflow } from './answers';
import { passed } from './ledgerClock';
import type { N8nClient } from './rest';
import { type Run, runs } from './server';

interface Recorded {
	readonly client: Pick<N8nClient, 'listExecutions' | 'getExecution'>;
	readonly workflow: Pick<Workflow, 'id'>;
	readonly counter: Pick<Counter, 'calls'>;
	readonly acknowledge: Settings['acknowledge'];
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
	const { acknowledge, poll } = recorded;
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
	note({ what: 'published', settings: { acknowledge, batchSize: 1, wants: 'all' } }, publishedAt);
	for (const { id } of list?.events ?? []) note({ what: 'listed', event: id }, publishedAt - 1);

	return {
		note,
		expect(events) {
			for (const { id } of events) create(id, 'ocpp.message');
		},
		attempted({ id, type, createdAt }, attempt) {
			create(id, type, Date.parse(createdAt));
			if (attempt.url === '') return;
			const { url, startedAt, endedAt, status, outcome: body = '' } = attempt;
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
			const holds: Fact[] = [...ALWAYS, 'marks', ...(list ? (['listed'] as const) : []), ...said];
			const world: Line = {
				...{
					what: 'world',
					hasWebhook: true,
					hasPoll: poll !== undefined,
					reportsEnd: true,
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
	const { client, workflow, counter, acknowledge } = recorded;
	const rows = await client.listExecutions({ workflowId: workflow.id });
	const keys = new Set<string>();
	const modes = new Map(rows.map(({ id, mode }) => [id, mode]));
	const lines = counter.calls.map((call): Line => startedBy(call, modes, acknowledge));
	for (const row of rows) {
		const { id: execution, mode, status } = row;
		if (!['webhook', 'trigger', 'retry'].includes(mode)) continue;
		const calls = counter.calls.filter((call) => call.execution === execution);
		const last = calls.at(-1);
		const { at, waiting } = stored.get(execution) ?? storedOf(await client.getExecution(execution));
		stored.set(execution, { at, waiting });
		const events = last ? [...new Set(calls.flatMap((call) => call.events))] : waiting;
		const key = `${at} ${events.join()}`;
		// A copy of a row in n8n's database was not handed over.
		if (!keys.has(key)) {
			const by = storedBy({ events, at, mode }, attempts);
			lines.push({ what: 'stored', execution, mode, events, acknowledge, at, ...by });
		}
		keys.add(key);
		const outcome = OUTCOMES[status];
		if (outcome === undefined || row.stoppedAt === null) continue;
		const ended = { execution, events, at: Date.parse(row.stoppedAt) };
		lines.push(
			last
				? { what: 'ended', by: processOf(last), outcome, ...ended }
				: { what: 'dropped', ...ended },
		);
	}
	return lines;
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
	const open = attempts.filter(
		({ event, startedAt, endedAt }) => startedAt <= at && endedAt >= at && events.includes(event),
	);
	const hosts = open.map(({ url }) => new URL(url).host);
	const alive = runsAt(at);
	const receivers = alive.filter(({ host }) => hosts.includes(host));
	const mains = alive.filter(({ command }) => command === 'start');
	const possible = mode === 'webhook' ? (receivers.length > 0 ? receivers : alive) : mains;
	const [first] = possible.sort((a, b) => (a.ended?.at ?? Infinity) - (b.ended?.at ?? Infinity));
	const isDenied =
		open.length > 0 && open.every((each) => each.status > 0 && !isAcknowledged(each));
	return { by: first?.name ?? '', ...(isDenied && { isDenied }) };
}

function storedOf({ createdAt, data }: Execution): Stored {
	const items = (data.executionData?.nodeExecutionStack ?? []).flatMap(
		(each) => each.data.main?.flatMap((output) => output ?? []) ?? [],
	);
	const waiting = items.flatMap(({ json: { id } }) => (typeof id === 'string' ? [id] : []));
	return { at: Date.parse(createdAt), waiting };
}
