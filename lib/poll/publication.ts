/** The publication: the time from which events start the workflow. */
import { createdAt, eventFromList } from '../event';
import type { ApiClient } from '../service';
import { isOldestFirst } from '../shared/listOrder';
import { rememberListed, type Scope } from './knowledge';
import type { PolledUntil } from './memory';
import type { PollState, StartFrom } from './state';

interface First {
	readonly client: Pick<ApiClient, 'list'>;
	readonly startFrom: StartFrom;
	readonly pageSize: number;
	readonly now: number;
	/** Up to when the node had polled, if the ledger does not know that. */
	readonly forgotten: PolledUntil | undefined;
	readonly warn: (message: string) => void;
}

/** The state that a trigger begins with, or continues with after the ledger lost its data. */
export async function firstState(scope: Scope, first: First): Promise<PollState> {
	const { startFrom, now, forgotten } = first;
	const begun = { startFrom, lookedBackAt: now, polls: forgotten?.polls ?? 0 };
	if (forgotten !== undefined) {
		const { at } = forgotten;
		first.warn(
			`the event ledger is not the one that it was (its data was lost, or replaced by a backup): events created up to ${new Date(at).toISOString()} do not start by themselves; later ones do, even if they have started before`,
		);
		const publishedAt = await publish(scope, { ...first, since: at + 1 });
		return { ...begun, publishedAt, frontier: at };
	}
	const publishedAt = startFrom === 'now' ? await publish(scope, first) : 0;
	return { ...begun, publishedAt, frontier: publishedAt };
}

interface Publication {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	readonly now: number;
	/** The publication time, in place of the newest time listed, if the workflow was published before. */
	readonly since?: number;
}

/** This many older records in a row end the reading of a list that begins with the newest. */
const OLDER_IN_A_ROW = 20;

/**
 * Lists the existing events, which do not start the workflow, and returns the time of publication: the newest time
 * listed, at most `now`. If no record has a time, it is the service's own, so that no event is lost if the clock of the
 * service is behind. Records from that time on, and those without a time, are recorded one by one.
 */
async function publish(scope: Scope, publication: Publication): Promise<number> {
	const { client, pageSize, now, since } = publication;
	const listed: { id: string; at: number | undefined }[] = [];
	const times: number[] = [];
	let newestAt: number | undefined;
	let olderInARow = 0;
	let serviceNow: number | undefined;
	const onDate = (date: number) => (serviceNow ??= date);
	for await (const record of client.list('event', { pageSize, onDate })) {
		const parsed = eventFromList(record);
		if (!parsed.ok) continue;
		const at = createdAt(parsed.event);
		if (at !== undefined) {
			times.push(at);
			const newest = Math.max(newestAt ?? at, at);
			olderInARow = at < Math.min(newest, now) ? olderInARow + 1 : 0;
			newestAt = newest;
		}
		listed.push({ id: parsed.event.id, at });
		const isPage = listed.length % pageSize === 0;
		if (isPage && olderInARow >= OLDER_IN_A_ROW && isOldestFirst(times) === false) break;
	}
	const newestBefore = newestAt === undefined ? undefined : Math.min(newestAt, now);
	const publishedAt = since ?? newestBefore ?? serviceNow ?? now;
	const known = listed.filter(
		// Events created since an earlier publication are the missed ones.
		({ at }) => at === undefined || (since === undefined && at >= publishedAt),
	);
	await rememberListed(
		scope,
		known.map(({ id }) => id),
	);
	return publishedAt;
}
