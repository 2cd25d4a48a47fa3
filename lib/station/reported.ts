/** What a published station trigger has reported, or was to report, of a period that has passed: decided again from the list of events. */
import { readSaved } from '../follow';
import type { Records } from '../ledger';
import type { ApiClient } from '../service';
import { incidentsIn, sessionsIn } from './ask';
import type { Owner } from './common/incident';
import { DAY_MS, HOUR_MS, type StationSettings } from './common/settings';
import type { ReportEntry } from './common/state';
import { readPast, WANTS_OF } from './past/read';
import { headShape } from './records';

interface ReportedQuestion extends Owner {
	readonly client: Pick<ApiClient, 'list'>;
	readonly records: Records;
	/** Those of the published trigger. */
	readonly settings: StationSettings;
	/** In Unix milliseconds; `to` is now by default. */
	readonly from: number;
	readonly to?: number | undefined;
	/** What to do if there are more events than may be read. */
	readonly hint: string;
	/** Called between steps: throws if nobody waits for the result any more. */
	readonly check?: () => void;
}

/** An item of the trigger. */
export interface ReportedEntry extends ReportEntry {
	/** Whether it began in the period: otherwise what was read may show only a part of it. */
	readonly isWhole: boolean;
}

const MOST_EVENTS = 1_000_000;

/**
 * The items about incidents that lasted at some time of the period, and about sessions that ended in it, oldest first. What began
 * before the publication is not reported.
 * @throws the client's error, an error for more events than may be read, and `LedgerUnavailableError`
 */
export async function reportedIn(asked: ReportedQuestion): Promise<ReportedEntry[]> {
	const { client, records, settings, workflowId, nodeId, from, to, hint, check } = asked;
	const { kind, forMs, resolveAfterMs, withinMs } = settings;
	const { state: head } = await readSaved(
		records,
		`station:${workflowId}:${nodeId}:head`,
		headShape,
	);
	// It has not polled yet.
	if (head === undefined) return [];
	const past = await readPast({
		...{ client, from, to, wants: WANTS_OF[kind], words: settings, maxEvents: MOST_EVENTS },
		...{ lookBackMs: DAY_MS + forMs + resolveAfterMs + withinMs + HOUR_MS, hint },
	});
	const question = {
		...{ past, assetIds: undefined, owner: { workflowId, nodeId } },
		...(check !== undefined && { check }),
	};
	if (kind === 'sessionEnded') {
		const sessions = await sessionsIn(question, settings, false);
		return sessions
			.filter(({ t }) => t > head.publishedAt)
			.map(({ item: { state: _state, ...item }, ...entry }) => ({
				...{ ...entry, item, isWhole: true },
			}));
	}
	const incidents = await incidentsIn(question, settings);
	const news = incidents.filter(({ since }) => since > head.publishedAt);
	return news.flatMap(({ since, entries }) =>
		[...entries.values()]
			.filter(({ item }) => settings.reportResolved || item['state'] !== 'resolved')
			.map((entry) => ({ ...entry, isWhole: since >= from })),
	);
}
