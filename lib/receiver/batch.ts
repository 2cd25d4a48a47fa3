/**
 * Gathers the events of a node while n8n has not responded to one of its hand-overs: the first event then hands all
 * over as the items of one execution. There is no inbox, and no timer delays an event: if no other event is waiting, it
 * starts at once.
 */
import { type Item, MAX_BATCH_BYTES, oldestFirst } from '../event';
import type { ClaimHold, Hold } from '../ledger';

/** A claimed event that is to start the workflow. */
interface Member {
	readonly item: Item;
	readonly hold: ClaimHold;
	/** Its size, for the limit of a batch. */
	readonly bytes: number;
}

type Turn =
	/** The items of the execution to start, and the hold to settle when n8n has responded. */
	| { readonly start: true; readonly items: readonly Item[]; readonly hold: Hold }
	/** The event is in the execution of another delivery, which n8n has stored or is taking too long to store. */
	| { readonly start: false; readonly outcome: 'stored' | 'busy' };

/**
 * The longest wait for another delivery's hand-over. The service gives up after 30 s, while n8n may delay an execution
 * for minutes or never respond: a queued execution that a person stopped gets no response at all.
 */
const LONGEST_WAIT_MS = 10_000;
/** The least time that n8n has to store an execution before the senders of its events are asked to retry. */
const LEAST_WAIT_MS = 2_000;

/** The nodes with a hand-over that n8n has not responded to, by node and URL. */
const busy = new Map<string, Gatherer>();

/** Resolves when it is the event's turn: at once, or when n8n has responded to the hand-over that it waits for. */
export async function takeTurn(node: string, member: Member, most: number): Promise<Turn> {
	const gatherer = busy.get(node) ?? new Gatherer(() => busy.delete(node));
	busy.set(node, gatherer);
	return await gatherer.take(member, most);
}

interface Waiting extends Member {
	readonly since: number;
	readonly tell: (turn: Turn) => void;
}

class Gatherer {
	/** Hand-overs in progress. Each of them is older than the waiting events. */
	#unanswered = 0;
	#waiting: Waiting[] = [];
	#bytes = 0;

	constructor(private readonly whenIdle: () => void) {}

	take(member: Member, most: number): Promise<Turn> {
		return new Promise((tell) => {
			if (this.#bytes + member.bytes > MAX_BATCH_BYTES) this.#handOver();
			this.#waiting.push({ ...member, since: performance.now(), tell });
			this.#bytes += member.bytes;
			if (this.#unanswered === 0 || this.#waiting.length >= most) this.#handOver();
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
		const commit: Hold['commit'] = async (retentionMs) => {
			if (others.length === 0) return await first.hold.commit(retentionMs);
			const [own = 'lost', ...outcomes] = await first.hold.commitWith(
				others.map(({ hold }) => hold),
				retentionMs,
			);
			const lost = new Set(others.filter((_other, n) => outcomes[n] === 'lost'));
			for (const other of followers.dismiss()) {
				other.tell({ start: false, outcome: lost.has(other) ? 'busy' : 'stored' });
			}
			return own;
		};
		const release: Hold['release'] = async () => {
			// Waiting events go first: they must not wait for the hand-overs that begin here.
			this.#handOver();
			const present = new Set(followers.dismiss());
			if (first.hold.acknowledge === 'succeeded') {
				// Their execution failed. Each event is delivered again and then runs by itself.
				await Promise.all([first, ...others].map(({ hold }) => hold.release()));
				for (const { tell } of present) tell({ start: false, outcome: 'busy' });
				return;
			}
			// One event that n8n cannot store must not delay the others by an hour.
			for (const other of present) this.#handOverAlone(other);
			const gone = others.filter((other) => !present.has(other));
			await Promise.all([first, ...gone].map(({ hold }) => hold.release()));
		};
		first.tell({
			start: true,
			items: batch,
			hold: this.#answered({ commit, release }),
		});
	}

	#handOverAlone({ item, hold, tell }: Waiting): void {
		tell({ start: true, items: [item], hold: this.#answered(hold) });
	}

	/** Wraps the hold: once it is settled, or n8n has taken too long, the gathered events are handed over. */
	#answered(hold: Hold): Hold {
		let isOver = false;
		const next = () => {
			if (isOver) return;
			isOver = true;
			clearTimeout(timer);
			this.#unanswered -= 1;
			if (this.#unanswered > 0) return;
			this.#handOver();
			if (this.#unanswered === 0) this.whenIdle();
		};
		const timer = setTimeout(next, LONGEST_WAIT_MS).unref();
		this.#unanswered += 1;
		return {
			commit: (retentionMs) => hold.commit(retentionMs).finally(next),
			release: () => hold.release().finally(next),
		};
	}
}

/** The deliveries that wait for the outcome of their execution, which settles their claims, each until its limit. */
class Followers {
	readonly #timers = new Map<Waiting, NodeJS.Timeout>();

	constructor(members: readonly Waiting[]) {
		for (const member of members) {
			const leftMs = member.since + LONGEST_WAIT_MS - performance.now();
			const timer = setTimeout(
				() => {
					this.#timers.delete(member);
					member.tell({ start: false, outcome: 'busy' });
				},
				Math.max(leftMs, LEAST_WAIT_MS),
			);
			this.#timers.set(member, timer.unref());
		}
	}

	/** Ends the waiting; returns those that were still waiting. */
	dismiss(): Waiting[] {
		const present = [...this.#timers.keys()];
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
		return present;
	}
}
