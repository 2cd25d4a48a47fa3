/**
 * What the polling triggers of a workflow did last, and what to do about what they left out. One record of the ledger per
 * trigger, written by each of its polls. Times are in Unix milliseconds.
 */
import { changeRecord, recordFormat, type Records } from '../ledger';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/time';
import { number, object, optional, type output, string } from '../vendor/zod';

const polledShape = object({
	nodeName: string(),
	polledAt: number(),
	/** Everything created up to then was read; absent before the list was read for the first time. */
	readUpTo: optional(number()),
	/** How many stations the last list of the assets has; absent for a trigger that reads no such list, and before it was read. */
	stations: optional(number()),
});
type LastPoll = Readonly<output<typeof polledShape>>;
const format = recordFormat({ what: 'the last poll of a trigger', number: 1 }, polledShape);

/** Much longer than any sensible pause between two polls; the record of a trigger that is gone expires. */
const KEPT_MS = 35 * DAY_MS;

const keyOf = (workflowId: string, nodeId: string) => `polled:${workflowId}:${nodeId}`;

/** For a poll: what it does not know stays as it was. Rejects like `changeRecord`. */
export async function notePolled(
	records: Records,
	{ workflowId, nodeId }: { readonly workflowId: string; readonly nodeId: string },
	polled: LastPoll,
): Promise<void> {
	const change = (text: string | undefined) => {
		const before = format.read(text);
		const isLater = before === undefined || before.polledAt <= polled.polledAt;
		return isLater ? format.write({ ...before, ...polled }) : undefined;
	};
	await changeRecord(records, keyOf(workflowId, nodeId), change, KEPT_MS);
}

/** The last poll of a trigger, and what to do about it, which completes a log line. Rejects like `Records`. */
export async function readPolls(records: Records, workflowId: string, nodeId: string, now: number) {
	const last = format.read(await records.readRecord(keyOf(workflowId, nodeId)));
	return {
		/** Undefined if the trigger has not polled. */
		last,
		/** How far behind that poll the trigger has read; undefined before it has read the list. */
		behindMs: behindMs(last),
		advice: adviceFor(last, now),
	};
}

/** Later than that, a poll is overdue in any sensible schedule. */
const POLLS_WITHIN_MS = DAY_MS + 2 * HOUR_MS;
/** A poll that reads without a pause is behind by less. */
const BEHIND_MS = 15 * MINUTE_MS;

function behindMs({ polledAt, readUpTo }: Partial<LastPoll> = {}): number | undefined {
	const isKnown = polledAt !== undefined && readUpTo !== undefined;
	return isKnown ? Math.max(0, polledAt - readUpTo) : undefined;
}

function adviceFor(polled: LastPoll | undefined, now: number): string {
	if (polled === undefined || now - polled.polledAt > POLLS_WITHIN_MS) {
		return "check that the workflow is published, that n8n is running, and 'Poll Times' in the node";
	}
	if ((behindMs(polled) ?? 0) <= BEHIND_MS) return 'nothing to do';
	return "the next polls read the rest; if the gap does not shrink, look at its failed polls, and poll more often with 'Poll Times'";
}

/** What a poll left out, by the kinds of the log lines; `poll_failed` has the advice of its error. All triggers have `settings`: numbers out of bounds. */
export const POLL_ADVICE: Readonly<Record<string, string>> = {
	poll_failed: 'the next poll tries again; if it keeps failing, do what lastProblem says',
	unreadable: 'ask the provider of the service about messages that do not follow OCPP',
	undated: 'ask the provider of the service about events without a time, or with a future one',
	record_invalid: 'ask the provider of the service about records that cannot be used',
	words: "add the words to 'Connected Words' or 'Disconnected Words' in the credential",
	unlisted: 'check that the API client may list all assets',
	assets: 'the next polls try again; if it keeps failing, do what lastProblem says',
	dropped: 'do what lastProblem says',
	settings: 'correct the field in the node, then publish the workflow again',
	skipped: "to read further back after a pause, raise 'Catch Up (Hours)' in the node",
};
