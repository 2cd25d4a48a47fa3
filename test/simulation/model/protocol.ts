/**
 * The whole protocol for one event, every step of which may fail: deliveries that are handed over, n8n that stores an
 * execution, loses it or starts it any number of times, attempts that begin, end or fail to, processes that are paused, die
 * or stop in order, and a user who retries or replays. The ledger is the real steps of `lib/ledger/life`.
 */
import { movesOfAttempt, starts } from './attempts';
import { movesOfDelivery } from './deliveries';
import { faultOf, REOPENED_AT } from './faults';
import { nameOf, settled } from './naming';
import type { Lived, Move, Options } from './options';
import type { Protocol } from './search';
import * as worlds from './world';
import type { Attempt, World } from './world';

export function protocolOf(options: Options): Protocol<World> {
	return {
		first: worlds.firstWorld(options.processes),
		*moves(world, steps) {
			for (const move of moves(world, { ...options, steps })) if (move[1] !== world) yield move;
		},
		settled,
		faultOf,
		nameOf,
	};
}

function* moves(world: World, lived: Lived): Generator<Move> {
	const { entry } = world;
	for (const [process, { deliveries, attempts }] of world.processes.entries()) {
		for (const [index, delivery] of deliveries.entries()) {
			const moved = movesOfDelivery(world, { process, index }, delivery, lived);
			for (const [what, next] of moved) yield [`delivery ${process}.${index} ${what}`, next];
		}
		for (const [index, attempt] of attempts.entries()) {
			const slot = { process, index };
			const moved = attempt
				? movesOfAttempt(world, slot, attempt, lived)
				: starts(world, slot, lived);
			for (const [what, next] of moved) yield [`${worlds.runOf(slot)} ${what}`, next];
		}
		for (const [what, next] of movesOfProcess(world, process, lived)) {
			yield [`process ${process} ${what}`, next];
		}
	}
	if (entry?.at === worlds.NOW) yield ['time goes by', { ...world, entry: worlds.later(entry) }];
	if (lived.user) yield* reopens(world, lived);
}

function* movesOfProcess(world: World, n: number, { slip, stops }: Lived): Generator<Move> {
	const process = world.processes[n];
	const isHolder = world.entry?.holder === worlds.sessionOf(n);
	if (process === undefined || !(worlds.isInUse(process) || isHolder)) return;
	const { isAlive, attempts, deliveries } = process;
	yield ['dies', worlds.withDeath(world, n)];
	const paused = attempts.map((each) => each && { ...each, isSteady: false });
	const change = isAlive ? { isAlive: false, attempts: paused } : { isAlive: true };
	yield [isAlive ? 'is paused' : 'is renewed', worlds.withProcess(world, n, () => change)];
	// Never while it has to report the end of an execution.
	const isFree = attempts.every((each) => each === undefined || each.at === 'giving back again');
	const mayClose = isFree || slip === 'close while executions run';
	const isClosing = [...deliveries, ...attempts].some((each) => each?.isOld);
	if (stops && mayClose && !isClosing) yield ['closes its session', worlds.withClosed(world, n)];
}

/** The user is at the first process. */
function* reopens(world: World, { steps }: Lived): Generator<Move> {
	const reopened = worlds.taken(world, { process: 0 }, (entry, moment) =>
		steps.reopen(entry, REOPENED_AT, moment),
	);
	for (const [, { entry, ...next }] of reopened) {
		if (entry === undefined || entry === world.entry) continue;
		const processes = next.processes.map(({ attempts, ...process }) => ({
			...{ ...process, attempts: attempts.map((each) => each && beforeReopen(each, world)) },
		}));
		const none = { isOnce: false, hasSucceeded: false, isAsleep: false };
		const counted = { ...entry, reopenings: 0 };
		yield ['a user replays', { ...next, ...none, isReopened: true, processes, entry: counted }];
	}
}

/** What still runs when an event is done was taken over: the user may start the event next to it. */
function beforeReopen(attempt: NonNullable<Attempt>, { hasSucceeded }: World): Attempt {
	const isSteady = attempt.isSteady && !hasSucceeded;
	return { ...attempt, isBeforeReopen: !worlds.isAsking(attempt.at), isSteady };
}
