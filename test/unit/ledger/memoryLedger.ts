/** The ledger of a process over a store in memory, which counts the calls. Several can share one store. */
import type { Ledger } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import type { Entry } from '../../../lib/ledger/life/entry';
import type { EntryState } from '../../../lib/ledger/life/states';
import { MemoryStore } from './memoryStore';

const METHODS = [
	...(['look', 'claim', 'commit', 'release', 'begin', 'end', 'giveBack', 'reopen'] as const),
	...(['readRecord', 'swapRecord', 'untilBegun', 'close'] as const),
];

export class MemoryLedger extends EventLedger {
	/** The names of the methods in the order of their calls. */
	readonly calls: string[] = [];

	constructor(readonly store = new MemoryStore()) {
		super({ store });
		for (const name of METHODS) {
			const method = this[name].bind(this) as (...asked: unknown[]) => unknown;
			const value = (...asked: unknown[]) => {
				this.calls.push(name);
				return method(...asked);
			};
			Object.defineProperty(this, name, { value, writable: true, configurable: true });
		}
	}

	/** How often a method was called. */
	count(method: keyof Ledger): number {
		return this.calls.filter((call) => call === method).length;
	}

	/** As in `MemoryStore`. */
	put(key: string, state: EntryState, more?: Partial<Entry>): void {
		this.store.put(key, state, more);
	}

	/** As in `MemoryStore`. */
	stateOf(key: string): EntryState {
		return this.store.stateOf(key);
	}

	get entries(): MemoryStore['entries'] {
		return this.store.entries;
	}

	get records(): MemoryStore['records'] {
		return this.store.records;
	}

	set failing(isFailing: boolean) {
		this.store.failing = isFailing;
	}

	set losing(isLosing: boolean) {
		this.store.losing = isLosing;
	}

	set hanging(isHanging: boolean) {
		this.store.hanging = isHanging;
	}

	set delayMs(ms: number) {
		this.store.delayMs = ms;
	}
}
