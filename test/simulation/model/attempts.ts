/** What an execution does: it asks to begin the event, and reports its end. */
import type { Outcome } from '../../../lib/ledger/life/steps';
import type { Lived, Move } from './options';
import * as worlds from './world';
import type { Attempt, Slot, World } from './world';

type Known = NonNullable<Attempt>;

const ASKS = { at: 'unsure', isOld: false, isSteady: false, isBeforeReopen: false } as const;

/** n8n starts an execution that it has stored, or a user retries one. */
export function* starts(world: World, slot: Slot, lived: Lived): Generator<Move> {
	if (!world.isStored) return;
	for (const repeats of lived.repeats) {
		for (const isRetry of lived.user ? [false, true] : [false]) {
			const attempt = { ...ASKS, repeats, isRetry };
			for (const [result, next] of begins(world, slot, attempt, lived)) {
				if (result) yield ['begins and continues', continued(world, next, slot, attempt, lived)];
			}
			if (!isRetry) yield ['asks to begin', worlds.withAttempt(world, slot, attempt)];
		}
	}
}

export function* movesOfAttempt(
	world: World,
	slot: Slot,
	attempt: Known,
	lived: Lived,
): Generator<Move> {
	const { at } = attempt;
	const to = (next: Known['at'], where = world) =>
		worlds.withAttempt(where, slot, { ...attempt, at: next });
	const over = (where = world) => worlds.withAttempt(where, slot, undefined);
	if (worlds.isAsking(at)) {
		for (const [result, next] of begins(world, slot, attempt, lived)) {
			if (next !== world) yield ['begins, response lost', next];
			if (at !== 'unsure') continue;
			if (result) yield ['begins and continues', continued(world, next, slot, attempt, lived)];
			else yield ['may not begin', over(next)];
		}
		if (at === 'unsure') {
			yield ['gives up', to('giving back')];
			return;
		}
		const isRunningOnly = at === 'giving back again';
		if (isRunningOnly && lived.slip === 'give back once') {
			yield ['is over', over()];
			return;
		}
		for (const next of givesBack(world, slot, isRunningOnly, lived)) {
			yield ['gives back, response lost', next];
			yield ['gives back', isRunningOnly ? over(next) : to('giving back again', next)];
		}
	} else if (at === 'on') {
		if (lived.outcomes === undefined) yield ['ends', over()];
		for (const outcome of lived.outcomes ?? []) yield [`is ${outcome}`, to(outcome)];
	} else {
		for (const next of ends(world, slot, attempt, at, lived)) {
			yield ['reports its end', over(next)];
			yield ['reports its end, response lost', next];
		}
	}
}

function* begins(
	world: World,
	slot: Slot,
	{ repeats, isRetry, isOld }: Known,
	{ steps, outcomes }: Lived,
): Generator<readonly [boolean, World]> {
	const session = worlds.sessionOf(slot.process, { isOld });
	const reportsEnd = outcomes !== undefined;
	const asked = { run: worlds.runOf(slot), session, repeats, reportsEnd, isRetry };
	const begun = worlds.taken(world, slot, (entry, moment) => steps.begin(entry, asked, moment));
	for (const [result, next] of begun) {
		if (next === world) yield [result, world];
		else yield [result, { ...next, fault: faultOfBegin(world) }];
	}
}

function faultOfBegin({ hasSucceeded, isAsleep }: World): string | undefined {
	if (hasSucceeded) return 'begun after a success';
	return isAsleep ? 'begun after it went to sleep' : undefined;
}

/** The attempt learns that it continues. */
function continued(
	before: World,
	next: World,
	slot: Slot,
	attempt: Known,
	{ outcomes }: Lived,
): World {
	const isSteady = outcomes !== undefined && next.processes[slot.process]?.isAlive === true;
	const isTwice = before.isOnce && !attempt.isRetry;
	return {
		...worlds.withAttempt(next, slot, { ...attempt, at: 'on', isSteady }),
		isOnce: !attempt.repeats,
		fault: next.fault ?? (isTwice ? 'continued twice' : undefined),
	};
}

function* ends(
	world: World,
	slot: Slot,
	{ repeats, isBeforeReopen }: Known,
	outcome: Outcome,
	{ steps }: Lived,
): Generator<World> {
	const run = worlds.runOf(slot);
	const ending = { run, outcome, repeats, reopenings: isBeforeReopen ? -1 : 0 };
	const ended = worlds.taken(world, slot, (entry, moment) => steps.end(entry, ending, moment));
	for (const [, next] of ended) {
		const hasSucceeded = next.hasSucceeded || (outcome === 'succeeded' && !isBeforeReopen);
		const sleeps = outcome === 'asleep' && world.entry?.run === run && !hasSucceeded;
		const isReopened = next.isReopened && !hasSucceeded;
		yield { ...next, hasSucceeded, isReopened, isAsleep: next.isAsleep || sleeps };
	}
}

function* givesBack(
	world: World,
	slot: Slot,
	isRunningOnly: boolean,
	{ steps }: Lived,
): Generator<World> {
	const given = { run: worlds.runOf(slot), isRunningOnly };
	const isHeld = world.entry?.kind === 'pending';
	const givenBack = worlds.taken(world, slot, (entry, moment) =>
		steps.giveBack(entry, given, moment),
	);
	for (const [isOver, next] of givenBack) {
		const isTaken = isHeld && next !== world;
		if (isOver) yield isTaken ? { ...next, fault: 'gave back what another hands over' } : next;
	}
}
