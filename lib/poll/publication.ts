/** The publication: the time from which events start the workflow. */
import type { ApiClient } from '../service';
import { walk } from '../walk';
import { LOOK_BACKS } from './bounds';
import { rememberListed, type Scope } from './knowledge';
import type { PolledUntil } from './memory';
import type { PollState, StartFrom } from './state';

interface First {
	readonly client: Pick<ApiClient, 'list'>;
	readonly startFrom: StartFrom;
	readonly wanted: string;
	readonly pageSize: number;
	readonly now: number;
	/** Up to when the node had polled, if the ledger does not know that. */
	readonly forgotten: PolledUntil | undefined;
	readonly warn: (message: string) => void;
}

/** The state that a trigger begins with, or continues with after the ledger lost its data. */
export async function firstState(scope: Scope, first: First): Promise<PollState> {
	const { startFrom, wanted, now, forgotten } = first;
	const lookedBackAt = LOOK_BACKS.map(() => now);
	const from = ({ at: publishedAt, knownFrom }: Published, frontier: number): PollState => ({
		...(knownFrom !== undefined && { knownFrom }),
		...{ startFrom, wanted, publishedAt, frontier, readTo: frontier, wantedSince: 0 },
		...{ polls: forgotten?.polls ?? 0, lookedBackAt, walks: [], open: [] },
	});
	if (forgotten !== undefined) {
		const { at } = forgotten;
		first.warn(
			`the event ledger is not the one that it was (its data was lost, or replaced by a backup): events created up to ${new Date(at).toISOString()} do not start by themselves; later ones do, even if they have started before`,
		);
		return from(await publish(scope, { ...first, since: at + 1 }), at);
	}
	const published = startFrom === 'now' ? await publish(scope, first) : { at: 0 };
	return from(published, published.at);
}

interface Published {
	/** The time of publication. */
	readonly at: number;
	/** As in the state. */
	readonly knownFrom?: string | undefined;
}

interface Publication extends Pick<First, 'client' | 'pageSize' | 'now'> {
	/** The publication time, in place of the newest time listed, if the workflow was published before. */
	readonly since?: number;
}

/**
 * Lists the existing events, which do not start the workflow, and returns the time of publication: the newest time
 * listed, at most `now`. If no record has a time, it is the service's own, so that no event is lost if the clock of the
 * service is behind. Records from that time on, and those without a time, are recorded one by one.
 */
async function publish(scope: Scope, publication: Publication): Promise<Published> {
	const { client, pageSize, now, since } = publication;
	let known: { id: string; at: number | undefined }[] = [];
	let newest: number | undefined;
	let head: string | undefined;
	const { serviceAt, failure } = await walk(
		{ client, pageSize, now, backTo: 'newest' },
		async (page) => {
			for (const { at } of page) if (at !== undefined) newest = Math.max(newest ?? at, at);
			head ??= page[0]?.event.id;
			const from = Math.min(newest ?? now, now);
			const listed = [...known, ...page.map(({ event: { id }, at }) => ({ id, at }))];
			// Events created since an earlier publication are the missed ones.
			known = listed.filter(({ at }) => at === undefined || (since === undefined && at >= from));
			return true;
		},
	);
	if (failure !== undefined) throw failure;
	const newestBefore = newest === undefined ? undefined : Math.min(newest, now);
	await rememberListed(
		scope,
		known.map(({ id }) => id),
	);
	return {
		at: since ?? newestBefore ?? serviceAt ?? now,
		...(newest === undefined && { knownFrom: head }),
	};
}
