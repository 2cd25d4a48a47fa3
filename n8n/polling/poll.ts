/**
 * The poll trigger on n8n: reads its parameters, of which a value out of bounds becomes the nearest bound and one of the wrong
 * kind its default, and finds the event for "Fetch Test Event".
 */
import { createHash } from 'node:crypto';
import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import {
	BATCH_SIZE,
	notApplied,
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	readNumber,
	type ReadParameter,
	readWanted,
	type Wanted,
	createdAt,
	eventFromList,
	type ParsedEvent,
	Survey,
} from '../../lib/event';
import type { ApiClient } from '../../lib/service';
import { isOldestFirst } from '../../lib/shared/listOrder';
import { checkConditions } from '../fields/conditions';

/** The service's own maximum of `limit` (not specified, documented for assets). */
export const DEFAULT_PAGE_SIZE = 100;
const PAGE_SIZE = {
	name: 'limit',
	label: 'Page Size',
	fallback: DEFAULT_PAGE_SIZE,
	least: 1,
	most: DEFAULT_PAGE_SIZE,
};

interface PollSettings extends Wanted {
	readonly startFrom: 'now' | 'retained';
	/** The parameters that decide which events are wanted, as a short text to compare. */
	readonly wanted: string;
	readonly pageSize: number;
	/** The most events per execution; 1 if each event starts its own execution. */
	readonly batchSize: number;
	readonly acknowledge: 'stored' | 'succeeded';
	/** Settings that are not applied as entered: each completes a log line. */
	readonly problems: readonly string[];
}

export function readPollSettings(read: ReadParameter): PollSettings {
	return {
		...readWanted(read),
		wanted: wantedText(read),
		startFrom: read('startFrom', 'now') === 'retained' ? 'retained' : 'now',
		pageSize: Math.trunc(readNumber(read, PAGE_SIZE)),
		batchSize: readBatchSize(read),
		acknowledge: readAcknowledge(read),
		problems: notApplied(read, { BATCH_SIZE, PAGE_SIZE }),
	};
}

function wantedText(read: ReadParameter): string {
	const values = [readEventTypes(read), read('conditions', {})];
	return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}

/** Limits of the search: a user waits for it. */
const MOST_EVENTS = 1_000;
const MOST_REQUESTS = 20;
const MOST_MS = 10_000;

/**
 * The newest wanted event of the list, for "Fetch Test Event": nothing is recorded. It reads page after page until it
 * finds one; if the list begins with the oldest, it reads as far as it may.
 * @throws {NodeOperationError} that says how far it read and why no listed event is wanted, or which condition no
 * event can meet.
 */
export async function newestEvent(
	node: INode,
	client: Pick<ApiClient, 'list'>,
	settings: PollSettings,
	now: () => number = () => performance.now(),
): Promise<INodeExecutionData | undefined> {
	checkConditions(node, settings.conditions);
	const { pageSize } = settings;
	const survey = new Survey(settings);
	const wanted: ParsedEvent[] = [];
	const times: number[] = [];
	const begun = now();
	let requests = 0;
	let isWhole = true;
	const mayRequest = () => {
		const may =
			requests < MOST_REQUESTS && requests * pageSize < MOST_EVENTS && now() - begun < MOST_MS;
		requests += 1;
		isWhole = may;
		return may;
	};
	for await (const { listed } of client.list('event', { pageSize, mayRequest })) {
		for (const { record, id } of listed) {
			const event = eventFromList(record, id);
			const at = createdAt(event);
			if (at !== undefined) times.push(at);
			if (survey.inspect(event)) wanted.push(event);
		}
		// Not sooner: within a page, the newest need not be first.
		if (wanted.length > 0 && isOldestFirst(times) !== true) break;
	}
	const [newest] = wanted.sort((a, b) => (createdAt(b) ?? 0) - (createdAt(a) ?? 0));
	if (newest !== undefined) return { json: newest.record as IDataObject };
	if (survey.inspected === 0) return undefined;
	throw new NodeOperationError(node, noneOf(survey.inspected, times, isWhole), {
		description: survey.why,
	});
}

/** Says how far it looked. */
function noneOf(count: number, times: readonly number[], isWhole: boolean): string {
	if (count === 1) return 'The only event listed would not start the workflow';
	const isFromOldest = !isWhole && isOldestFirst(times) === true;
	const which = isWhole ? 'listed' : isFromOldest ? 'oldest' : 'newest';
	const events = `${count.toLocaleString('en')} ${which} events`;
	const until = isFromOldest ? Math.max(...times) : Math.min(...times);
	const span = times.length > 0 ? ` (${isFromOldest ? 'up' : 'back'} to ${minuteOf(until)})` : '';
	return `None of the ${events}${span} would start the workflow`;
}

/** For example `2026-11-20 10:15 UTC`. */
function minuteOf(time: number): string {
	return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
