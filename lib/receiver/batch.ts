/**
 * Gathers the events of a node while a hand-over of it is unanswered: the first of them then hands all over as the items
 * of one run. There is no inbox, and no timer delays an event: with nobody else waiting, it goes at once.
 */
import { type Item, MAX_BATCH_BYTES, oldestFirst } from '../event';
import type { ClaimHold, Hold } from '../ledger';

/** A claimed event that is to start the workflow. */
interface Member {
	readonly item: Item;
	readonly hold: ClaimHold;
	/** Its size, for the bound of a batch. */
	readonly bytes: number;
}

type Turn =
	/** The run to start, and what to settle when n8n has answered. */
	| { readonly start: true; readonly items: readonly Item[]; readonly hold: Hold }
	/** The event is in the run of another one, which n8n has stored, or is taking too long to store. */
	| { readonly start: false; readonly outcome: 'stored' | 'busy' };

/**
 * No event waits longer for somebody else's hand-over. The service gives up after 30 s, and n8n may hold a run back for
 * minutes, or never respond: a queued execution that a person stopped gets no response at all.
 */
const LONGEST_WAIT_MS = 10_000;
/** What n8n has in any case to store a run before the senders of its events are asked to retry. */
const LEAST_WAIT_MS = 2_000;

/** The nodes that have a hand-over unanswered, each URL of a node apart. */
const busy = new Map<string, Gatherer>();

/** Resolves when it is the turn of the event: at once, or when the hand-over that it waits for was answered. */
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
	/** Hand-overs that are waited for. Each of them is older than what waits. */
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

	/** All that wait go: the first one with the items, the others with its outcome. */
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
			// What waits goes first: it must not wait for the hand-overs that begin here.
			this.#handOver();
			// One event that n8n cannot store must not cost the others an hour.
			const present = new Set(followers.dismiss());
			const isFailed = first.hold.acknowledge === 'succeeded';
			const handedOver = isFailed ? new Set<Waiting>() : present;
			for (const other of handedOver) this.#handOverAlone(other);
			const gone = others.filter((other) => !handedOver.has(other));
			await Promise.all([first, ...gone].map(({ hold }) => hold.release()));
			// Their execution has failed. Each is delivered again, and then runs by itself.
			if (isFailed) for (const { tell } of present) tell({ start: false, outcome: 'busy' });
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

	/** The hold; once it is settled, or n8n has taken too long, what has gathered is handed over. */
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

/** Those in a run who wait for its outcome, each until its time is over. Their claims are settled with the run. */
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

	/** Ends their waiting; returns those who still did. */
	dismiss(): Waiting[] {
		const present = [...this.#timers.keys()];
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
		return present;
	}
}
