/** An event as it starts the workflow. */

type Fields = Readonly<Record<string, unknown>>;

export interface Item {
	readonly record: Fields;
}

/** Adds `_replay`, replacing a field of that name. `reopenedAt` is in Unix milliseconds; if undefined, nothing is added. */
export function withReplay(record: Fields, reopenedAt: number | undefined): Fields {
	if (reopenedAt === undefined) return record;
	return { ...record, _replay: { requestedAt: new Date(reopenedAt).toISOString() } };
}
