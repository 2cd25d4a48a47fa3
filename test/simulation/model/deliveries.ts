/** What a process does with a delivery of the event, and how n8n responds to it. */
import { stateOf } from '../../../lib/ledger/life/states';
import type { Lived, Move } from './options';
import * as worlds from './world';
import type { Delivery, Slot, World } from './world';

type At = NonNullable<Delivery>['at'];

export function* movesOfDelivery(
	world: World,
	slot: Slot,
	delivery: Delivery,
	lived: Lived,
): Generator<Move> {
	if (delivery === undefined) {
		yield* arrives(world, slot, lived);
		return;
	}
	const to = (at: At, where = world) => worlds.withDelivery(where, slot, { ...delivery, at });
	const over = (where: World) => worlds.withDelivery(where, slot, undefined);
	const stored = { ...world, isStored: true };
	const commits = settles(world, slot, delivery, lived);
	const isUnanswered = delivery.at === 'handing over' || delivery.at === 'stored';
	if (isUnanswered) {
		yield ['n8n fails', to('releasing')];
		for (const next of commits) {
			yield ['gets no response, commits', to('abandoned', { ...next, isStored: true })];
		}
	}
	switch (delivery.at) {
		case 'handing over':
			yield ['n8n stores', to('stored', stored)];
			break;
		case 'stored':
			yield ['cannot commit, 2xx', acknowledged(to('committing'))];
			for (const next of commits) {
				yield ['commits, 2xx', acknowledged(over(next))];
				yield ['commits, response lost, 2xx', acknowledged(to('committing', next))];
			}
			if (lived.respondsLate) yield* respondsLate(world, slot, delivery, lived);
			break;
		case 'abandoned':
			yield ['n8n responds at last', to('committing', stored)];
			yield ['n8n fails at last', to('releasing')];
			break;
		case 'committing':
		case 'releasing':
			for (const next of commits) {
				yield [`is done ${delivery.at}`, over(next)];
				yield [`is ${delivery.at}, response lost`, next];
			}
	}
}

function* arrives(world: World, slot: Slot, { steps }: Lived): Generator<Move> {
	const claimant = claimantOf(slot);
	const claims = worlds.taken(world, slot, (entry, moment) => steps.claim(entry, claimant, moment));
	const fault = isEarly(world) ? 'claimed before it is due' : undefined;
	for (const [{ state }, next] of claims) {
		const at = (where: At) => worlds.withDelivery(next, slot, { at: where, isOld: false });
		if (state === 'claimed') yield ['claims', { ...at('handing over'), fault }];
		if (state === 'claimed') yield ['claims, response lost', { ...at('releasing'), fault }];
		if (state === 'committed') yield ['is a duplicate, 2xx', acknowledged(next)];
	}
}

function isEarly({ entry }: World): boolean {
	return entry?.repeats === true && entry.at === worlds.NOW && entry.kind !== 'stored';
}

/** The claim is released or committed. */
function settles(
	world: World,
	slot: Slot,
	delivery: NonNullable<Delivery>,
	{ steps }: Lived,
): World[] {
	const claimant = claimantOf(slot, delivery);
	if (delivery.at !== 'releasing') {
		const commits = worlds.taken(world, slot, (entry, moment) =>
			steps.commit(entry, claimant, moment),
		);
		return [...commits].map(([, next]) => next);
	}
	const isOwn = worlds.holds(world.entry, slot, delivery);
	const releases = worlds.taken(world, slot, (entry) => steps.release(entry, claimant));
	return [...releases].map(([, next]) => {
		return next === world || isOwn ? next : { ...next, fault: 'released the claim of another' };
	});
}

/** n8n responds with a success also for an execution that ended without items: only the ledger knows. */
function* respondsLate(
	world: World,
	slot: Slot,
	delivery: NonNullable<Delivery>,
	{ slip }: Lived,
): Generator<Move> {
	const looks = worlds.taken(world, slot, (entry, moment) => ({ result: stateOf(entry, moment) }));
	for (const [state] of looks) {
		const isOver = state === 'done' || state === 'asleep';
		if (isOver || slip === 'trust every response') {
			const fault = isOver ? undefined : 'acknowledged, and no success';
			const next = worlds.withDelivery(world, slot, undefined);
			yield ['is over, 2xx', { ...acknowledged(next), fault }];
		} else {
			const next = worlds.withDelivery(world, slot, { ...delivery, at: 'committing' });
			yield ['is not over, 503', next];
		}
	}
}

function claimantOf(slot: Slot, delivery?: NonNullable<Delivery>) {
	return { session: worlds.sessionOf(slot.process, delivery), number: worlds.numberOf(slot) };
}

function acknowledged(world: World): World {
	return { ...world, isAcknowledged: true };
}
