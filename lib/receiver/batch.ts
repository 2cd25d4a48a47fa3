/**
 * Gathers the events of a node while a hand-over of it is unanswered: the first of them then hands all over as the items
 * of one run. There is no timer and no inbox: with nobody else waiting, an event goes at once.
 */
import type { ClaimHold, Hold } from '../ledger';
import { oldestFirst } from './event';

type Item = Readonly<Record<string, unknown>>;

/** A claimed event that is to start the workflow. */
export interface Member {
	readonly item: Item;
	readonly hold: ClaimHold;
	/** Its size, for the bound of a batch. */
	readonly bytes: number;
}

type Turn =
	/** The run to start, and what to settle when n8n has answered. */
	| { readonly start: true; readonly items: readonly Item[]; readonly hold: Hold }
	/** The event was stored with the run of another one. */
	| { readonly start: false };

/** More than this is not stored in one run, unless one event alone has it. */
export const MOST_BYTES = 4 * 1024 * 1024;

/** Those who came later do not wait longer for an answer: the service gives up after 30 s. Looked at when one comes. */
const LONGEST_WAIT_MS = 10_000;

/** The nodes that have a hand-over unanswered, by what tells them apart. */
const busy = new Map<string, Gatherer>();

/** Resolves when it is the turn of the event: at once, or when the hand-over that it waits for was answered. */
export async function takeTurn(node: string, member: Member, most: number): Promise<Turn> {
	const gatherer = busy.get(node) ?? new Gatherer(() => busy.delete(node));
	busy.set(node, gatherer);
	return await gatherer.take(member, most);
}

interface Waiting extends Member {
	readonly tell: (turn: Turn) => void;
}

class Gatherer {
	#unanswered = 0;
	#handedOverAt = 0;
	#waiting: Waiting[] = [];
	#bytes = 0;

	constructor(private readonly whenIdle: () => void) {}

	take(member: Member, most: number): Promise<Turn> {
		return new Promise((tell) => {
			if (this.#bytes + member.bytes > MOST_BYTES) this.#handOver();
			this.#waiting.push({ ...member, tell });
			this.#bytes += member.bytes;
			const isFree =
				this.#unanswered === 0 || performance.now() - this.#handedOverAt > LONGEST_WAIT_MS;
			if (isFree || this.#waiting.length >= most) this.#handOver();
		});
	}

	/** All that wait go: the first one with the items, the others with its outcome. */
	#handOver(): void {
		const [first, ...others] = this.#waiting;
		const batch = oldestFirst(this.#waiting.map(({ item: record }) => ({ record })));
		this.#waiting = [];
		this.#bytes = 0;
		if (first === undefined) return;
		this.#unanswered += 1;
		this.#handedOverAt = performance.now();
		const commit: Hold['commit'] = async (retentionMs) => {
			if (others.length === 0) return await first.hold.commit(retentionMs);
			await first.hold.commitWith(
				others.map(({ hold }) => hold),
				retentionMs,
			);
			for (const { tell } of others) tell({ start: false });
			return 'committed';
		};
		const release: Hold['release'] = async () => {
			// One event that n8n cannot store must not cost the others an hour.
			for (const other of others) this.#handOverAlone(other);
			await first.hold.release();
		};
		first.tell({
			start: true,
			items: batch.map(({ record }) => record),
			hold: this.#answered({ commit, release }),
		});
	}

	#handOverAlone({ item, hold, tell }: Waiting): void {
		this.#unanswered += 1;
		tell({ start: true, items: [item], hold: this.#answered(hold) });
	}

	/** The hold, which hands over what has gathered once it is settled. */
	#answered(hold: Hold): Hold {
		const next = () => {
			this.#unanswered -= 1;
			if (this.#unanswered > 0) return;
			this.#handOver();
			if (this.#unanswered === 0) this.whenIdle();
		};
		return {
			commit: (retentionMs) => hold.commit(retentionMs).finally(next),
			release: () => hold.release().finally(next),
		};
	}
}
