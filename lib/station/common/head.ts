/**
 * The records of a station trigger: a head with what it watches and how far the list was read, and the shards with the state of
 * its stations. Times are in Unix milliseconds.
 */
import { savedFields } from '../../follow';
import { recordFormat } from '../../ledger';
import { number, object, optional, type output } from '../../vendor/zod';
import type { Owner } from './incident';

/** `as`: `digestOf` the settings. */
const headShape = object({
	...savedFields,
	/** Of the publication: shards of a later one are not changed by a poll of an earlier one that is still on its way. */
	generation: number(),
	/** When the poll that wrote it began: polls that began earlier change nothing any more. */
	polledAt: number(),
	/** What is still to be read of the past before the publication: created from then up to then. A later look back may reach as far. */
	past: optional(object({ from: number(), upTo: number() })),
	/** What opened and ended up to then was reported, although the ledger does not know it. */
	toldUntil: optional(number()),
	/** Incidents of unlisted stations that opened on this day. */
	unlisted: object({ day: number(), count: number() }),
});
export type Head = Readonly<output<typeof headShape>>;
export const headFormat = recordFormat(
	{ what: 'how far a Station Trigger has come', number: 1 },
	headShape,
);

/** The name of the record of the head, or of a shard. */
export const recordOf = ({ workflowId, nodeId }: Owner, name: string | number) =>
	`station:${workflowId}:${nodeId}:${name}`;

export const headOf = (owner: Owner) => recordOf(owner, 'head');
