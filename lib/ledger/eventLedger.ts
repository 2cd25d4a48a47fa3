/** The ledger over any store: what this process claims, and what its executions begin and end. */
import { growingPause, sleep } from '../shared/pace';
import { DAY_MS } from '../shared/time';
import { OtherFormatError } from './common/format';
import { type Entry, decode, encode } from './life/entry';
import { type Account, accountOf, stateOf, type StepMoment } from './life/states';
import * as steps from './life/steps';
import type { Step } from './life/steps';
import { Session } from './session';
import type { ChangeOptions, TextStore } from './texts/textStore';
import type { Beginning, Claim, Ledger } from './types';
import { untilWritten } from './untilWritten';

/** An event that nobody stores is forgotten after this long, in milliseconds. */
const KEEP_CLAIM_MS = DAY_MS;
const CLAIMING = { keepMs: KEEP_CLAIM_MS, guess: [undefined] };

interface EventLedgerOptions {
	readonly store: TextStore;
	/** Called with the number of events that began although the ledger did not know them. */
	readonly onUnknown?: ((events: number) => void) | undefined;
	/** Called if the store has lost what it knew. */
	readonly onLost?: (() => void) | undefined;
	/** Called when the ledger is closed. */
	readonly onClose?: (() => void) | undefined;
	readonly session?: Session;
}

/** What an attempt of this process has begun, until its end. */
interface BegunRun {
	readonly repeats: boolean;
	readonly retentionMs: number;
	readonly begun: readonly BegunEntry[];
}

interface BegunEntry {
	readonly key: string;
	/** The text of its entry. */
	readonly text: string | undefined;
	/** As in `Entry`. */
	readonly reopenings: number;
}

export class EventLedger implements Ledger {
	readonly #store: TextStore;
	readonly #session: Session;
	readonly #options: EventLedgerOptions;
	/** The text of the entry after the claim. A claim need not be settled: its execution may have begun the event. */
	readonly #texts = new WeakMap<Claim, string | undefined>();
	readonly #runs = new Map<string, BegunRun>();
	/** Of what is being given back: the claim that it was being handed over by. */
	readonly #handOvers = new Map<string, string>();
	/** By key, for those who wait: called when an attempt of this process begins the event. */
	readonly #onBegin = new Map<string, () => void>();
	#numbers = 0;

	constructor(options: EventLedgerOptions) {
		const { store, onLost = () => undefined } = options;
		this.#store = store;
		this.#options = options;
		this.#session = options.session ?? new Session(store, { onLost });
	}

	readRecord: Ledger['readRecord'] = async (key) => await this.#store.readRecord(key);

	swapRecord: Ledger['swapRecord'] = async (...swap) => await this.#store.swapRecord(...swap);

	async look(key: string): Promise<Account> {
		await this.#session.open();
		return await this.#look(key, accountOf);
	}

	async claim(key: string): ReturnType<Ledger['claim']> {
		checkKey(key);
		await this.#session.open();
		const claim = { key, number: ++this.#numbers, session: this.#session.name };
		try {
			const [after] = await this.#change([claim], steps.claim, CLAIMING);
			if (after?.result.state !== 'claimed') return after?.result ?? { state: 'pending' };
			this.#texts.set(claim, after.text);
			return { ...after.result, claim };
		} catch (error) {
			// The store may hold a claim that no caller knows of.
			if (!(error instanceof OtherFormatError)) void untilWritten(() => this.release([claim]));
			throw error;
		}
	}

	async commit(claims: readonly Claim[], retentionMs: number): Promise<void> {
		const options = { keepMs: retentionMs, isDurable: true, guess: this.#textsOf(claims) };
		await this.#change(claims, steps.commit, options);
	}

	async release(claims: readonly Claim[]): Promise<void> {
		await this.#change(claims, steps.release, { guess: this.#textsOf(claims) });
	}

	async begin(keys: readonly string[], beginning: Beginning): Promise<boolean[]> {
		await this.#session.open();
		const { run, retentionMs, acknowledge, reportsEnd = true, isRetry = false } = beginning;
		const repeats = acknowledge === 'succeeded';
		const attempt = { run, session: this.#session.name, repeats, reportsEnd, isRetry };
		// Known before the events are begun: the session must not be closed in between.
		if (reportsEnd) this.#runs.set(run, { repeats, retentionMs, begun: [] });
		const begin = async () =>
			await this.#change(
				keys.map((key) => ({ key })),
				(entry, _key, moment) => {
					const { result, ...next } = steps.begin(entry, attempt, moment);
					return {
						...next,
						result: { continues: result, wasFree: stateOf(entry, moment) === 'free' },
					};
				},
				{ keepMs: retentionMs, isDurable: true },
			);
		const after = await this.#session.whileAlive(begin);
		const begun = after.flatMap(({ result, text, entry }, n) => {
			const key = keys[n];
			if (!result.continues || key === undefined) return [];
			return [{ key, text, reopenings: entry?.reopenings ?? 0 }];
		});
		if (begun.length === 0) this.#runs.delete(run);
		else if (reportsEnd) this.#runs.set(run, { repeats, retentionMs, begun });
		const unknown = after.filter(({ result }) => result.wasFree).length;
		// Without an end, it may be no execution: a poll trigger records what it lists at its publication.
		if (unknown > 0 && reportsEnd) this.#options.onUnknown?.(unknown);
		for (const { key } of begun) this.#onBegin.get(key)?.();
		return after.map(({ result }) => result.continues);
	}

	async end(run: string, outcome: steps.Outcome): Promise<void> {
		const known = this.#runs.get(run);
		if (known === undefined) return;
		const { repeats, retentionMs, begun } = known;
		await this.#change(
			begun,
			(entry, { reopenings }, moment) =>
				steps.end(entry, { run, outcome, repeats, reopenings }, moment),
			{
				keepMs: retentionMs,
				isDurable: repeats || outcome === 'asleep',
				guess: begun.map(({ text }) => text),
			},
		);
		this.#runs.delete(run);
	}

	async giveBack(keys: readonly string[], run: string, isRunningOnly = false): Promise<boolean[]> {
		const after = await this.#change(
			keys.map((key) => ({ key, name: `${run} ${key}` })),
			(entry, { name }, moment) => {
				const given = { run, isRunningOnly, claim: this.#handOvers.get(name) };
				const step = steps.giveBack(entry, given, moment);
				return { ...step, result: { isOver: step.result, name, claim: steps.claimOf(entry) } };
			},
			{ isDurable: true },
		);
		this.#runs.delete(run);
		return after.map(({ result: { isOver, name, claim } }) => {
			if (isOver) this.#handOvers.delete(name);
			else if (claim !== undefined) this.#handOvers.set(name, claim);
			return isOver;
		});
	}

	async reopen(keys: readonly string[], at: number, retentionMs: number): Promise<Account[]> {
		await this.#session.open();
		const after = await this.#change(
			keys.map((key) => ({ key })),
			(entry, _key, moment) => ({
				...steps.reopen(entry, at, moment),
				result: accountOf(entry, moment),
			}),
			{ keepMs: retentionMs, isDurable: true },
		);
		return after.map(({ result }) => result);
	}

	async untilBegun(
		{ key, session, number }: Claim,
		ms: number,
		signal?: AbortSignal,
	): Promise<void> {
		const isPending = (entry: Entry | undefined) => {
			const { kind, holder, claim } = entry ?? {};
			const isOfAnother = holder !== undefined && !(holder === session && claim === number);
			return entry === undefined || kind === 'pending' || (kind === 'stored' && isOfAnother);
		};
		// A ledger that is down for a moment, or has lost its data, says nothing; nor does what another one hands over since.
		const isOpen = async () => await this.#look(key, isPending).catch(() => true);
		const giveUpAt = performance.now() + ms;
		const pause = growingPause();
		const { promise: begun, resolve } = Promise.withResolvers<'over'>();
		this.#onBegin.set(key, () => {
			resolve('over');
		});
		try {
			while (performance.now() < giveUpAt) {
				const paused = sleep(pause(), { keepAlive: false, signal }).catch(() => 'over' as const);
				if ((await Promise.race([begun, paused])) === 'over' || !(await isOpen())) return;
			}
		} finally {
			this.#onBegin.delete(key);
		}
	}

	/** Whether this process runs executions whose end it has to report. */
	get isRunning(): boolean {
		return this.#runs.size > 0;
	}

	/** For a process that ends: what it holds is free for the others, unless an execution still runs here. */
	async closeSession(): Promise<void> {
		if (!this.isRunning) await this.#session.close();
	}

	async close(): Promise<void> {
		this.#options.onClose?.();
		try {
			await this.closeSession();
		} finally {
			await this.#store.close();
		}
	}

	/** Applies a step of `life` to the entry of each key. */
	async #change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		step: (entry: Entry | undefined, key: K, moment: StepMoment) => Step<R>,
		options: Partial<ChangeOptions> = {},
	): Promise<After<R>[]> {
		for (const { key } of keys) checkKey(key);
		const after = await this.#store.change<K, After<R> | Refusal>(
			keys,
			({ text, ...moment }, key) => {
				let entry: Entry | undefined;
				try {
					entry = decode(text);
				} catch (error) {
					// Not thrown in the store, where other events would fail with it.
					return { result: { refusal: error } };
				}
				const { result, next } = step(entry, key, moment);
				if (next === undefined) return { result: { result, entry, text } };
				if (next === null) return { result: { result }, text: null };
				const written = encode(next);
				return { result: { result, entry: next, text: written }, text: written };
			},
			{
				keepMs: 0,
				isDurable: false,
				session: this.#session.name,
				isDead: this.#session.isDead,
				...options,
			},
		);
		return after.map((each) => {
			if ('refusal' in each) throw each.refusal;
			return each;
		});
	}

	/** For a step that changes nothing. */
	async #look<R>(
		key: string,
		look: (entry: Entry | undefined, moment: StepMoment) => R,
	): Promise<R> {
		const [after] = await this.#change([{ key }], (entry, _key, moment) => ({
			result: look(entry, moment),
		}));
		if (after === undefined) throw new TypeError('A store returns one result for each key');
		return after.result;
	}

	#textsOf(claims: readonly Claim[]): (string | undefined)[] {
		return claims.map((claim) => this.#texts.get(claim));
	}
}

const KEY_FORM = /^[A-Za-z0-9_-]{43}$/;

/** Throws for a key that `ledgerKey` did not make, before it reaches a store. */
function checkKey(key: string): void {
	if (!KEY_FORM.test(key)) throw new TypeError('A ledger key comes from ledgerKey()');
}

/** Why the entry was not read. */
interface Refusal {
	readonly refusal: unknown;
}

/** The result of a step, and the entry after it. */
interface After<R> {
	readonly result: R;
	readonly entry?: Entry | undefined;
	readonly text?: string | undefined;
}
