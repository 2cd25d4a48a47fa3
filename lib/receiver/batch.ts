/**
 * Gathers the events of a node while n8n has not responded to one of its hand-overs: the first event then hands all
 * over as the items of one execution. There is no inbox, and no timer delays an event: if no other event is waiting, it
 * starts at once. When n8n has responded, the claims are settled, and the response to the service is decided.
 */
import { type Item, MAX_BATCH_BYTES, oldestFirst } from '../event';
import { commitHold, type Hold, releaseHold, type EntryState } from '../ledger';
import { growingPause, sleep } from '../shared/pace';

/** A claimed event that is to start the workflow. */
interface Member {
	readonly item: Item;
	readonly hold: Hold;
	/** Its size, for the limit of a batch. */
	readonly bytes: number;
}

/** An execution to start. */
export interface HandOver {
	readonly items: readonly Item[];
	/** n8n has responded: returns what the service gets. Never rejects. */
	readonly settle: (isOk: boolean) => Promise<SettleOutcome>;
	/** n8n does not respond, and nobody waits for it: its events count as stored. Never rejects. */
	readonly abandon: () => Promise<void>;
}

type Turn =
	| ({ readonly start: true } & HandOver)
	/** The event is in the execution of another delivery. */
	| { readonly start: false; readonly outcome: SettleOutcome };

/**
 * The longest wait for another delivery's hand-over. The service gives up after 30 s, while n8n may delay an execution
 * for minutes or never respond: a queued execution that a user stopped gets no response at all.
 */
const LONGEST_WAIT_MS = 10_000;
/** The least time that n8n has to store an execution before the senders of its events are asked to retry. */
const LEAST_WAIT_MS = 2_000;

/** The nodes with a hand-over that n8n has not responded to, by node and URL. */
const busy = new Map<string, Gatherer>();

/** For an event that starts an execution by itself. */
export function handOverOne(
	{ item, hold }: Pick<Member, 'item' | 'hold'>,
	settling: Settling,
): HandOver {
	return {
		items: [item],
		settle: async (isOk) => (await settle(hold, settling, isOk))[0] ?? 'failed',
		abandon: () => commitHold(hold, settling.retentionMs),
	};
}

/** Resolves when it is the event's turn: at once, or when n8n has responded to the hand-over that it waits for. */
export async function takeTurn(
	node: string,
	member: Member,
	most: number,
	settling: Settling,
): Promise<Turn> {
	const gatherer = busy.get(node) ?? new Gatherer(() => busy.delete(node));
	busy.set(node, gatherer);
	return await gatherer.take({ ...member, settling }, most);
}

interface WaitingMember extends Member {
	readonly settling: Settling;
	readonly since: number;
	readonly resolve: (turn: Turn) => void;
}

class Gatherer {
	/** Hand-overs in progress. Each of them is older than the waiting events. */
	#unsettled = 0;
	#waiting: WaitingMember[] = [];
	#bytes = 0;

	constructor(private readonly whenIdle: () => void) {}

	take(member: Omit<WaitingMember, 'since' | 'resolve'>, most: number): Promise<Turn> {
		return new Promise((resolve) => {
			if (this.#bytes + member.bytes > MAX_BATCH_BYTES) this.#handOver();
			this.#waiting.push({ ...member, since: performance.now(), resolve });
			this.#bytes += member.bytes;
			if (this.#unsettled === 0 || this.#waiting.length >= most) this.#handOver();
		});
	}

	/** Hands over all waiting events: the first one gets the items, the others its outcome. */
	#handOver(): void {
		const [first, ...others] = this.#waiting;
		const batch = oldestFirst(this.#waiting.map(({ item }) => item));
		this.#waiting = [];
		this.#bytes = 0;
		if (first === undefined) return;
		const followers = new Followers(others);
		const { settling } = first;
		const holdOf = (members: readonly WaitingMember[]): Hold => ({
			ledger: first.hold.ledger,
			claims: members.flatMap(({ hold }) => hold.claims),
		});
		const all = holdOf([first, ...others]);
		const tellOthers = (outcomes: readonly SettleOutcome[]) => {
			const byMember = new Map(others.map((other, n) => [other, outcomes[n]]));
			for (const other of followers.dismiss()) {
				const isAccepted = byMember.get(other) === 'accepted';
				other.resolve({ start: false, outcome: isAccepted ? 'accepted' : 'busy' });
			}
		};
		const settleAll = async (isOk: boolean): Promise<SettleOutcome> => {
			if (isOk || settling.acknowledge === 'succeeded' || others.length === 0) {
				const [own = 'failed', ...outcomes] = await settle(all, settling, isOk);
				tellOthers(outcomes);
				return own;
			}
			const [own = 'failed'] = await settle(holdOf([first]), settling, isOk);
			// Otherwise n8n reports the failure of an execution that has begun.
			if (own === 'failed') await releaseHold(holdOf(this.#startOneByOne(others, followers)));
			else tellOthers(await settle(holdOf(others), settling, isOk));
			return own;
		};
		first.resolve(
			this.#turnOf({
				items: batch,
				settle: settleAll,
				abandon: () => commitHold(all, settling.retentionMs),
			}),
		);
	}

	/**
	 * n8n could not store the batch. One event that n8n cannot store must not delay the others by an hour. Returns those whose
	 * senders no longer wait.
	 */
	#startOneByOne(others: readonly WaitingMember[], followers: Followers): WaitingMember[] {
		// Waiting events go first: they must not wait for the hand-overs that begin here.
		this.#handOver();
		const present = new Set(followers.dismiss());
		for (const other of present) other.resolve(this.#turnOf(handOverOne(other, other.settling)));
		return others.filter((other) => !present.has(other));
	}

	/** Once the hand-over is settled, or n8n has taken too long, the gathered events are handed over. */
	#turnOf(handOver: HandOver): Turn {
		let isOver = false;
		const next = () => {
			if (isOver) return;
			isOver = true;
			clearTimeout(timer);
			this.#unsettled -= 1;
			if (this.#unsettled > 0) return;
			this.#handOver();
			if (this.#unsettled === 0) this.whenIdle();
		};
		const timer = setTimeout(next, LONGEST_WAIT_MS).unref();
		this.#unsettled += 1;
		return {
			start: true,
			items: handOver.items,
			settle: (isOk) => handOver.settle(isOk).finally(next),
			abandon: handOver.abandon,
		};
	}
}

/** The deliveries that wait for the outcome of their execution, which settles their claims, each until its limit. */
class Followers {
	readonly #timers = new Map<WaitingMember, NodeJS.Timeout>();

	constructor(members: readonly WaitingMember[]) {
		for (const member of members) {
			const leftMs = member.since + LONGEST_WAIT_MS - performance.now();
			const timer = setTimeout(
				() => {
					this.#timers.delete(member);
					member.resolve({ start: false, outcome: 'busy' });
				},
				Math.max(leftMs, LEAST_WAIT_MS),
			);
			this.#timers.set(member, timer.unref());
		}
	}

	/** Ends the waiting; returns those that were still waiting. */
	dismiss(): WaitingMember[] {
		const present = [...this.#timers.keys()];
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
		return present;
	}
}

/** How long a response waits for an execution that still runs: the service gives up after 30 s (specification 6.4). */
const WAIT_MS = 20_000;

/** `accepted`: 200. `failed`: n8n's own response. `busy`: the service has to deliver the event again. */
type SettleOutcome = 'accepted' | 'failed' | 'busy';

interface Settling {
	readonly acknowledge: 'stored' | 'succeeded';
	/** Whether n8n responds when it has stored the execution, not when that has ended: by the URL of the delivery. */
	readonly isEarly: boolean;
	readonly retentionMs: number;
	/** How long to wait for an execution that still runs, in milliseconds. */
	readonly waitMs?: number;
}

/**
 * Returns the outcome for each claim, in order. `isOk` is n8n's own verdict: for an execution that must succeed, the ledger
 * decides, because n8n also responds with a success for an execution that was stored a second time and ended without items.
 * Never rejects.
 */
async function settle(
	hold: Hold,
	settling: Settling,
	isOk: boolean,
): Promise<readonly SettleOutcome[]> {
	const { acknowledge, isEarly, retentionMs } = settling;
	const isStored = isOk && (acknowledge === 'stored' || isEarly);
	if (isStored) await commitHold(hold, retentionMs);
	else if (!isOk) await releaseHold(hold);
	if (isStored) return hold.claims.map(() => 'accepted');
	const outcomeOf = acknowledge === 'stored' ? onceStored : onceSucceeded;
	const states = await statesOf(hold, acknowledge === 'stored' ? 0 : settling.waitMs);
	const outcomes = states.map((state) => outcomeOf(state, isOk));
	// Its execution has neither begun nor failed: n8n may have it in its queue.
	if (isOk && outcomes.includes('busy')) await commitHold(hold, retentionMs);
	return outcomes;
}

/** n8n reports a failure: also that of an execution that has begun, which must not start the event again. */
function onceStored(state: EntryState | undefined): SettleOutcome {
	return state !== undefined && HAS_BEGUN.has(state) ? 'accepted' : 'failed';
}

const HAS_BEGUN: ReadonlySet<EntryState> = new Set([
	...(['running', 'asleep', 'interrupted', 'failed', 'done', 'begun'] as const),
]);

function onceSucceeded(state: EntryState | undefined, isOk: boolean): SettleOutcome {
	if (state === 'done' || state === 'asleep') return 'accepted';
	return state === 'running' || isOk ? 'busy' : 'failed';
}

/** Waits as long as an execution runs; undefined if the ledger cannot be asked. */
async function statesOf(
	{ ledger, claims }: Hold,
	waitMs = WAIT_MS,
): Promise<(EntryState | undefined)[]> {
	const giveUpAt = performance.now() + waitMs;
	const look = async ({ key }: Hold['claims'][number]) => (await ledger.look(key)).state;
	const pause = growingPause();
	for (;;) {
		const looked = await Promise.allSettled(claims.map(look));
		const states = looked.map((each) => (each.status === 'fulfilled' ? each.value : undefined));
		const pauseMs = pause();
		const isOver = performance.now() + pauseMs >= giveUpAt;
		if (isOver || !states.includes('running')) return states;
		await sleep(pauseMs);
	}
}
