/**
 * The thread that decides what is asked about the past: from the facts of some stations to their items, by plain functions and
 * without a state. What it returns crosses in pieces that the main thread reads between other work.
 */
import { serialize } from 'node:v8';
import { chunksOf } from '../../shared/pace';
import type { Serve } from '../../shared/thread';
import type { Owner } from '../common/incident';
import { limitIn, type Limits } from '../common/limits';
import type { StationSettings } from '../common/settings';
import type { ConnectionSettings } from '../facts';
import type { KnownStation } from './history';
import { incidentsOf } from './incidents';
import { factsIn, type Log } from './log';
import type { PastPeriod } from './read';
import { sessionsOf } from './sessions';
import type { Span } from './spans';
import { statusOf } from './status';
import {
	type Exclusion,
	type OutageQuestion,
	outagesOf,
	uptimeOf,
	type UptimeQuestion,
} from './uptime';

/** A question without what cannot cross. */
type Plain<Q> = Omit<Q, 'onFit' | 'onRemoved'>;

export type Question =
	| { readonly about: 'incidents'; readonly settings: StationSettings; readonly owner: Owner }
	| {
			readonly about: 'sessions';
			readonly settings: StationSettings;
			readonly owner: Owner;
			readonly includeOpen: boolean;
	  }
	| { readonly about: 'uptime'; readonly question: Plain<UptimeQuestion> }
	| { readonly about: 'outages'; readonly question: Plain<OutageQuestion> }
	| { readonly about: 'status'; readonly words: ConnectionSettings; readonly owner: Owner };

/** A station, and what is known of it. */
export interface ToDecide {
	readonly assetId: string;
	/** Empty if nothing was read of it. */
	readonly log: Log;
	readonly known: KnownStation;
	readonly limits: Limits | undefined;
	/** If nothing was heard of it in the time that is seen, it is no station of that time. */
	readonly isOnlyHeard: boolean;
}

export interface DecideRequest {
	readonly question: Question;
	readonly period: PastPeriod;
	/** Facts of other times do not count. */
	readonly seen: Span;
	readonly stations: readonly ToDecide[];
}

/** The items of a station, by its number among those of the request. */
export type OfStation = readonly [station: number, items: readonly unknown[]];

export interface Decided {
	/** Each holds a list of `OfStation`, serialized. */
	readonly pieces: readonly Uint8Array[];
	/** The numbers of the exclusions that fit a known place. */
	readonly fitting: readonly number[];
	/** Stations that the asset list does not have any more, with their last sign. */
	readonly removed: readonly (readonly [assetId: string, at: number])[];
}

/** Items that the main thread reads at a time. */
const ITEMS_TOGETHER = 500;

export const serve: Serve<undefined, DecideRequest, Decided> = () => (request) => {
	const pieces: Uint8Array[] = [];
	const noted = notes(request.question);
	let waiting: OfStation[] = [];
	let count = 0;
	const turn = () => {
		if (count > 0) pieces.push(serialize(waiting));
		waiting = [];
		count = 0;
	};
	for (const [n, station] of request.stations.entries()) {
		for (const items of chunksOf(itemsOf(station, request, noted), ITEMS_TOGETHER)) {
			waiting.push([n, items]);
			count += items.length;
			if (count >= ITEMS_TOGETHER) turn();
		}
	}
	turn();
	return { pieces, fitting: [...noted.fitting], removed: noted.removed };
};

interface Noted {
	readonly fitting: Set<number>;
	readonly removed: (readonly [assetId: string, at: number])[];
	readonly heard: Pick<OutageQuestion, 'onFit' | 'onRemoved'>;
}

function notes(question: Question): Noted {
	const fitting = new Set<number>();
	const removed: (readonly [string, number])[] = [];
	const exclusions = 'question' in question ? question.question.exclusions : [];
	const numbers = new Map(exclusions.map((one, n) => [one, n]));
	const onFit = (one: Exclusion) => fitting.add(numbers.get(one) ?? 0);
	const onRemoved = (assetId: string, at: number) => removed.push([assetId, at]);
	return { fitting, removed, heard: { onFit, onRemoved } };
}

function itemsOf(
	{ assetId, log, known, limits, isOnlyHeard }: ToDecide,
	{ question, period, seen }: DecideRequest,
	{ heard }: Noted,
): readonly unknown[] {
	const facts = factsIn(assetId, log, seen);
	if (facts.isEmpty && isOnlyHeard) return [];
	const read = facts.isEmpty ? undefined : facts;
	const limitOf = (_assetId: string, connector: string | undefined) => limitIn(limits, connector);
	switch (question.about) {
		case 'incidents':
			return incidentsOf(
				[assetId, facts],
				period,
				question.settings,
				question.owner,
				known.isRemoved,
			);
		case 'sessions':
			return sessionsOf([assetId, facts], period, question.settings, { ...question, limitOf });
		case 'status':
			return [statusOf([assetId, read, known], period, { ...question, limitOf })];
		case 'uptime':
			return uptimeOf([assetId, read, known], period, { ...question.question, ...heard });
		case 'outages':
			return outagesOf([assetId, read, known], period, { ...question.question, ...heard });
	}
}
