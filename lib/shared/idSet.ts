/** The IDs of a whole list, as bytes outside of the heap: a list can have millions. */
import { randomInt } from 'node:crypto';

/** Most readings of a list are of a page or less: so few bytes come from Node's pool. */
const FIRST_BYTES = 3 * 1024;
const FIRST_SLOTS = 64;
/** In UTF-8, per unit of a string. */
const MOST_BYTES_PER_UNIT = 3;
/** Before the bytes of an ID are its hash and its length. */
const LENGTH_AT = 4;
const ID_AT = 6;
const START = randomInt(2 ** 32);

export class IdSet {
	#bytes = Buffer.allocUnsafe(FIRST_BYTES);
	#used = 0;
	/** Where the IDs are, by their hashes: one more than the place, 0 for none. */
	#slots = new Uint32Array(FIRST_SLOTS);
	#size = 0;

	/** False if it is known. `id`: valid Unicode. */
	add(id: string): boolean {
		// It is written after all others, and stays there if it is new.
		const place = this.#used;
		this.#reserve(ID_AT + MOST_BYTES_PER_UNIT * id.length);
		const length = this.#bytes.write(id, place + ID_AT);
		const end = place + ID_AT + length;
		this.#bytes.writeUInt16LE(length, place + LENGTH_AT);
		this.#bytes.writeUInt32LE(hashOf(this.#bytes, place + ID_AT, end), place);
		const slot = this.#slotOf(place, end);
		if (this.#slots[slot] !== 0) return false;
		this.#slots[slot] = place + 1;
		this.#used = end;
		this.#size += 1;
		if (2 * this.#size > this.#slots.length) this.#spread();
		return true;
	}

	/** That of the same ID, or a free one. */
	#slotOf(place: number, end: number): number {
		const [bytes, slots] = [this.#bytes, this.#slots];
		const length = end - place;
		for (let n = bytes.readUInt32LE(place); ; n++) {
			const slot = n & (slots.length - 1);
			const known = slots[slot] ?? 0;
			if (known === 0) return slot;
			const isSame = bytes.compare(bytes, place, end, known - 1, known - 1 + length) === 0;
			if (isSame) return slot;
		}
	}

	#reserve(bytes: number): void {
		const needed = this.#used + bytes;
		if (needed <= this.#bytes.length) return;
		const all = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
		this.#bytes.copy(all, 0, 0, this.#used);
		this.#bytes = all;
	}

	#spread(): void {
		const slots = new Uint32Array(2 * this.#slots.length);
		const mask = slots.length - 1;
		for (const known of this.#slots) {
			if (known === 0) continue;
			let slot = this.#bytes.readUInt32LE(known - 1) & mask;
			while (slots[slot] !== 0) slot = (slot + 1) & mask;
			slots[slot] = known;
		}
		this.#slots = slots;
	}
}

/** FNV-1a from a start of its own in each process, so that nobody can choose IDs that all have one hash. */
function hashOf(bytes: Buffer, from: number, to: number): number {
	let hash = START;
	for (let n = from; n < to; n++) hash = Math.imul(hash ^ (bytes[n] ?? 0), 0x01_00_01_93);
	return hash >>> 0;
}
