/** An event as it starts the workflow. */

type EventRecord = Readonly<Record<string, unknown>>;

export interface Item {
	readonly record: EventRecord;
}

/** Adds `_replay`, replacing a field of that name. `reopenedAt` is in Unix milliseconds; if undefined, nothing is added. */
export function withReplay(record: EventRecord, reopenedAt: number | undefined): EventRecord {
	if (reopenedAt === undefined) return record;
	return { ...record, _replay: { requestedAt: new Date(reopenedAt).toISOString() } };
}
