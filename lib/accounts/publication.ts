/**
 * What the triggers of a workflow have recorded about themselves: since when they are published, which events they want, and
 * who may see and replay their events. One record of the ledger per workflow.
 */
import { isWanted, type ParsedEvent, readWanted } from '../event';
import { changeRecord, recordFormat, type Records } from '../ledger';
import { HOUR_MS } from '../shared/time';
import {
	array,
	enum as oneOf,
	number,
	object,
	optional,
	orElse,
	type output,
	record,
	string,
	unknown,
} from '../vendor/zod';

/** The parameters of a trigger that others need to know. */
const settings = object({
	kind: oneOf(['webhook', 'poll', 'station']),
	/** Which other workflows may reconcile and replay its events. */
	access: oneOf(['thisWorkflow', 'selectedWorkflows', 'anyWorkflow']),
	/** The selected workflows. */
	accountWorkflowIds: array(string()),
	/** The patterns of event types; none means all types, also if an older version recorded none. */
	eventTypes: orElse(array(string()), []),
	/** As the editor stores them. */
	conditions: unknown(),
	/** What a station trigger watches: its settings. */
	watches: optional(unknown()),
});
export type PublishedSettings = output<typeof settings>;

/** Times are in Unix milliseconds. */
const publicationShape = object({
	/** When a trigger was first published; 0 for a poll trigger that starts with all retained events. */
	publishedAt: number(),
	/** By node ID. `seenAt`: when the trigger last recorded itself. */
	triggers: record(string(), object({ seenAt: number(), settings })),
	/** The keys of the requested replays, by the node ID of the poll trigger that starts them. */
	replays: optional(record(string(), array(string()))),
});
export type Publication = Readonly<output<typeof publicationShape>>;
const format = recordFormat({ what: 'the publication of a workflow', number: 1 }, publicationShape);

/** A poll trigger shows at least this often that it still polls. */
const SEEN_EVERY_MS = HOUR_MS;

const keyOf = (workflowId: string) => `workflow:${workflowId}`;

/** Undefined if no trigger of the workflow was ever published. Rejects like `Records`. */
export async function readPublication(
	records: Records,
	workflowId: string,
): Promise<Publication | undefined> {
	return format.read(await records.readRecord(keyOf(workflowId)));
}

/** Changes the publication, even while others change it; undefined leaves it as it is. Rejects like `changeRecord`. */
export async function changePublication(
	records: Records,
	workflowId: string,
	next: (before: Publication | undefined) => Publication | undefined,
): Promise<void> {
	await changeRecord(records, keyOf(workflowId), (text) => {
		const after = next(format.read(text));
		return after && format.write(after);
	});
}

interface Note {
	readonly nodeId: string;
	readonly settings: PublishedSettings;
	readonly publishedAt: number;
	readonly now: number;
	/** The IDs of the nodes that the workflow has, if known: what other nodes recorded no longer counts. */
	readonly nodeIds?: ReadonlySet<string> | undefined;
}

/** For a trigger: records that it is published. Writes only what is new, and once an hour that the trigger is still there. */
export async function notePublication(
	records: Records,
	workflowId: string,
	{ nodeId, settings: now, ...note }: Note,
): Promise<void> {
	await changePublication(records, workflowId, (before) => {
		const others = Object.entries(before?.triggers ?? {}).filter(
			([id]) => id !== nodeId && (note.nodeIds?.has(id) ?? true),
		);
		const own = before?.triggers[nodeId];
		const publishedAt = Math.min(before?.publishedAt ?? Infinity, note.publishedAt);
		const isSame =
			own !== undefined &&
			JSON.stringify(own.settings) === JSON.stringify(now) &&
			Math.abs(note.now - own.seenAt) < SEEN_EVERY_MS &&
			Object.keys(before?.triggers ?? {}).length === others.length + 1 &&
			publishedAt === before?.publishedAt;
		if (isSame) return undefined;
		const triggers = Object.fromEntries([...others, [nodeId, { seenAt: note.now, settings: now }]]);
		return { ...before, publishedAt, triggers };
	});
}

/** For a poll, whose list shows when the workflow was published by the clock of the service: the earliest time counts. Returns the publication. */
export async function notePublishedAt(
	records: Records,
	workflowId: string,
	publishedAt: number,
): Promise<Publication | undefined> {
	const known = await readPublication(records, workflowId);
	if (known === undefined || known.publishedAt <= publishedAt) return known;
	await changePublication(records, workflowId, (before) => before && { ...before, publishedAt });
	return { ...known, publishedAt };
}

/** What the triggers of a workflow have recorded: nothing without a publication. */
export function triggersIn(publication: Publication | undefined) {
	const all = Object.entries(publication?.triggers ?? {}).map(([nodeId, { seenAt, settings }]) => ({
		nodeId,
		seenAt,
		wants: wantsOf(settings),
		...settings,
	}));
	const polls = all.filter(({ kind }) => kind === 'poll');
	// A station trigger starts the workflow for incidents.
	const ofEvents = all.filter(({ kind }) => kind !== 'station');
	const isWanted = (event: ParsedEvent): boolean =>
		all.length === 0 || ofEvents.some(({ wants }) => wants(event));
	return {
		all,
		polls,
		stations: all.filter(({ kind }) => kind === 'station'),
		/** Whether any of them wants the event. True if nothing is known. */
		isWanted,
		/** Whether a replay of the event starts it: a poll trigger wants it, or any trigger where there is no poll trigger. */
		isReplayed: (event: ParsedEvent): boolean =>
			polls.length === 0 ? isWanted(event) : polls.some(({ wants }) => wants(event)),
		/** The access of another workflow, or of the workflow with this ID itself. */
		accessFor: (workflowId: string, caller: Caller): Access => accessOf(all, workflowId, caller),
	};
}

function wantsOf({ eventTypes, conditions }: PublishedSettings) {
	const wanted = readWanted((name) => ({ eventTypes, conditions })[name]);
	return (event: ParsedEvent): boolean => isWanted(event, wanted);
}

interface Caller {
	/** The workflow that asks; empty if it was never saved. */
	readonly workflowId: string;
	/**
	 * Whether another workflow started it. n8n does not distinguish a stored sub-workflow from one whose JSON is given inline, which can
	 * carry the ID of any workflow.
	 */
	readonly isSubWorkflow: boolean;
}

/** `subWorkflow`: denied only because it runs as a sub-workflow, whose ID proves nothing. */
type Access = 'granted' | 'denied' | 'subWorkflow';

/** Where the triggers of the workflow differ, the stricter setting counts; without a record, only the workflow itself has access. */
function accessOf(
	settings: readonly Pick<PublishedSettings, 'access' | 'accountWorkflowIds'>[],
	workflowId: string,
	{ workflowId: callerId, isSubWorkflow }: Caller,
): Access {
	const isOpenToAll =
		settings.length > 0 && settings.every(({ access }) => access === 'anyWorkflow');
	if (isOpenToAll) return 'granted';
	const isSelected = ({ access, accountWorkflowIds }: (typeof settings)[number]) =>
		access === 'anyWorkflow' ||
		(access === 'selectedWorkflows' && accountWorkflowIds.includes(callerId));
	const isNamed =
		callerId !== '' &&
		(callerId === workflowId || (settings.length > 0 && settings.every(isSelected)));
	if (!isNamed) return 'denied';
	return isSubWorkflow ? 'subWorkflow' : 'granted';
}
