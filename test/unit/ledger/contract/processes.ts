/** Processes of n8n with a ledger each, over one store. */
import { SESSION_MS } from '../../../../lib/ledger/common/store';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { Session } from '../../../../lib/ledger/session';
import type { LedgerWorld } from './world';

/** A store with a clock of its own may be ahead by less. */
const STEP_MS = SESSION_MS / 2;
/** So long ago that a session is renewed before it is used, and so short ago that it lives. */
const DUE_MS = SESSION_MS - 3_000;
/** Long enough for a session to lapse. */
export const PAUSED_MS = SESSION_MS + 1_000;

export interface Process {
	readonly ledger: EventLedger;
	/** False while it is paused or after it was killed. */
	isRunning: boolean;
	/** Renews its session. After two renewals it is old enough to take others for dead. */
	renew(): Promise<void>;
	/** Whatever it still runs. */
	close(): Promise<void>;
}

export class Processes {
	readonly #all = new Set<Process>();

	constructor(readonly world: LedgerWorld) {}

	/** Another process, whose session has lived for over a minute. */
	async start(onUnknown?: (events: number) => void): Promise<Process> {
		const young = await this.startYoung(onUnknown);
		await young.renew();
		await young.renew();
		return young;
	}

	async startYoung(onUnknown?: (events: number) => void): Promise<Process> {
		let now = 0;
		const store = this.world.openStore();
		const session = new Session(store, { onLost: () => undefined, clock: () => now });
		const started: Process = {
			ledger: new EventLedger({ store, session, onUnknown }),
			isRunning: true,
			renew: async () => {
				now += DUE_MS;
				await session.open();
			},
			close: async () => {
				await session.close();
				await started.ledger.close();
			},
		};
		await session.open();
		this.#all.add(started);
		return started;
	}

	/** Lets time go by for all; the sessions of running processes are renewed. */
	async pass(ms: number): Promise<void> {
		for (let left = ms; left > 0; left -= STEP_MS) {
			await this.world.advance(Math.min(left, STEP_MS));
			for (const each of this.#all) if (each.isRunning) await each.renew();
		}
	}

	/** Its session lapses: it was paused, or killed if it is not resumed. */
	async pause(paused: Process): Promise<void> {
		paused.isRunning = false;
		await this.pass(PAUSED_MS);
	}

	async resume(paused: Process): Promise<void> {
		paused.isRunning = true;
		for (let renewals = 0; renewals < 3; renewals++) await paused.renew();
	}

	async close(): Promise<void> {
		for (const each of this.#all) await each.close();
	}
}
