/** Finds the event that "Fetch Test Event" shows. */
import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import { createdAt, eventFromList, type ParsedEvent, unwanted } from '../../lib/event';
import type { ApiClient } from '../../lib/service';
import { checkConditions } from '../conditions';
import type { PollSettings } from './settings';

/**
 * The newest event of the list that is wanted, for "Fetch Test Event": nothing is recorded.
 * @throws {NodeOperationError} that says why none of those listed is wanted, or which condition none can meet.
 */
export async function newestEvent(
	node: INode,
	client: ApiClient,
	settings: PollSettings,
): Promise<INodeExecutionData | undefined> {
	checkConditions(node, settings.conditions);
	const listed: ParsedEvent[] = [];
	for await (const record of client.list('event', { limit: settings.pageSize })) {
		const parsed = eventFromList(record);
		if (parsed.ok) listed.push(parsed.event);
	}
	const newestFirst = listed.sort((a, b) => (createdAt(b) ?? 0) - (createdAt(a) ?? 0));
	const newest = newestFirst.find((event) => unwanted(event, settings) === undefined);
	if (newest !== undefined) return { json: newest.record as IDataObject };
	const [first] = newestFirst;
	if (first === undefined) return undefined;
	throw new NodeOperationError(node, 'None of the newest events would start the workflow', {
		description: `Of ${listed.length} listed, the newest is ignored, since ${unwanted(first, settings) ?? ''}.`,
	});
}
