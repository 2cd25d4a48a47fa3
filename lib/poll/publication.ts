/** The publication: the time from which events start the workflow. */
import { begin, type Polled, positionAt, type Source } from '../follow';
import { rememberListed, type PollScope } from './freshEvents';
import type { PollState, StartFrom } from './state';

interface FirstPoll {
	readonly startFrom: StartFrom;
	readonly wanted: string;
	/** Up to when the node had polled, if the ledger does not know that. */
	readonly forgotten: Polled | undefined;
	readonly warn: (message: string) => void;
}

/**
 * The state that a trigger begins with, or continues with after the ledger lost its data. With `now`, events that are listed
 * by then do not start: the publication is at the newest time listed, at most `now`. Records from that time on, and those
 * without a time, are recorded one by one. If no record has a time, it is the service's own, so that no event is lost if the
 * clock of the service is behind. Throws the error of the list.
 */
export async function firstState(
	scope: PollScope,
	source: Source,
	{ startFrom, wanted, forgotten, warn }: FirstPoll,
): Promise<PollState> {
	const { now } = source;
	const from = (
		published: Pick<PollState, 'publishedAt' | 'frontier' | 'position'>,
	): PollState => ({
		...{ startFrom, wanted, wantedSince: 0, ...published },
		...{ polls: forgotten?.polls ?? 0, open: [] },
	});
	if (forgotten === undefined && startFrom === 'retained') {
		return from({ publishedAt: 0, frontier: 0, position: positionAt(0, now) });
	}
	if (forgotten !== undefined) {
		warn(
			`the event ledger was replaced or lost its data: events created up to ${new Date(forgotten.at).toISOString()} do not start by themselves; later ones do, even if they have started before`,
		);
	}
	let known: { id: string; at: number | undefined }[] = [];
	let newest: number | undefined;
	let head: string | undefined;
	const { failure, position, isWhole, serviceNow } = await begin(source, async (page) => {
		for (const { at } of page) if (at !== undefined) newest = Math.max(newest ?? at, at);
		head ??= page[0]?.event.id;
		const listed = [...known, ...page.map(({ event: { id }, at }) => ({ id, at }))];
		// Events created since an earlier publication are the missed ones.
		const isKnown = (at: number) => forgotten === undefined && at >= Math.min(newest ?? now, now);
		known = listed.filter(({ at }) => at === undefined || isKnown(at));
		return true;
	});
	if (failure !== undefined) throw failure;
	await rememberListed(
		scope,
		known.map(({ id }) => id),
	);
	const knownFrom = newest === undefined && { knownFrom: head };
	if (forgotten !== undefined) {
		const { at } = forgotten;
		const position = positionAt(at, now);
		return { ...from({ publishedAt: at + 1, frontier: at, position }), ...knownFrom };
	}
	const publishedAt = isWhole && newest !== undefined ? Math.min(newest, now) : serviceNow;
	return { ...from({ publishedAt, frontier: publishedAt, position }), ...knownFrom };
}
