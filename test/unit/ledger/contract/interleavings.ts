/** Interleavings of several holders and runs on a few events, as fast-check generates them, run against a store and the model. */
import fc from 'fast-check';
import { type Claim, type Entry as LookedUp, type Ledger, ledgerKey } from '../../../../lib/ledger';
import { type Answer, type Entry, explain, type Step } from './model';
import type { LedgerWorld } from './world';

const HOLDERS = 3;
const KEYS = 2;
const RUNS = 3;
/** Ends never fall on a moment that `advance` reaches: 5 s are left for a store with a clock of its own. */
const LEASES_MS = [65_000, 125_000];
/** The first ends before the event is overdue, the second within the second grace. */
const RETENTIONS_MS = [605_000, 2_005_000, 100_000_005_000];
const PAUSES_MS = [20_000, 60_000, 140_000, 900_000, 900_000, 1_800_000];
/** Less than the 5 s above, so that expired entries stay expired. */
const SET_BACK_MS = 4_000;

type Action =
	| { readonly kind: 'look'; readonly holder: number; readonly key: number }
	| {
			readonly kind: 'claim';
			readonly holder: number;
			readonly key: number;
			readonly leaseMs: number;
	  }
	| { readonly kind: 'renew'; readonly claim: number; readonly leaseMs: number }
	| {
			readonly kind: 'commit' | 'finish';
			readonly claim: number;
			readonly retentionMs: number;
	  }
	| { readonly kind: 'release'; readonly claim: number }
	/** Of an execution whose end the holder of the claim waits for. */
	| {
			readonly kind: 'beginClaimed';
			readonly holder: number;
			readonly claim: number;
			readonly run: number;
			readonly retentionMs: number;
	  }
	| {
			readonly kind: 'reopen';
			readonly holder: number;
			readonly keys: readonly number[];
			readonly at: number;
			readonly retentionMs: number;
	  }
	| {
			readonly kind: 'begin';
			readonly holder: number;
			readonly keys: readonly number[];
			readonly run: number;
			readonly retentionMs: number;
	  }
	| {
			readonly kind: 'giveBack';
			readonly holder: number;
			readonly keys: readonly number[];
			readonly run: number;
			readonly retentionMs: number;
	  };

/** One step: time passes, the clock is set back, a holder dies and restarts, or some actions run at the same time. */
export type Moment =
	| { readonly kind: 'pause'; readonly ms: number }
	| { readonly kind: 'setBack' }
	| { readonly kind: 'crash'; readonly holder: number }
	| { readonly kind: 'actions'; readonly actions: readonly Action[] };

const holder = fc.nat(HOLDERS - 1);
const key = fc.nat(KEYS - 1);
const run = fc.nat(RUNS - 1);
/** When a user asks to run events again: stored unchanged. */
const at = fc.constantFrom(1, 1_800_000_000_000);
const keys = fc.shuffledSubarray([...Array(KEYS).keys()], { minLength: 1 });
const leaseMs = fc.constantFrom(...LEASES_MS);
const retentionMs = fc.constantFrom(...RETENTIONS_MS);
/** Which of the claims made so far, counted from the last one. */
const claim = fc.oneof(
	{ weight: 3, arbitrary: fc.constant(0) },
	{ weight: 2, arbitrary: fc.nat(4) },
);

function kind<K extends string>(name: K): fc.Arbitrary<K> {
	return fc.constant(name);
}

const action: fc.Arbitrary<Action> = fc.oneof(
	{ weight: 2, arbitrary: fc.record({ kind: kind('look'), holder, key }) },
	{ weight: 10, arbitrary: fc.record({ kind: kind('claim'), holder, key, leaseMs }) },
	{ weight: 4, arbitrary: fc.record({ kind: kind('renew'), claim, leaseMs }) },
	{ weight: 10, arbitrary: fc.record({ kind: kind('commit'), claim, retentionMs }) },
	{ weight: 4, arbitrary: fc.record({ kind: kind('release'), claim }) },
	{ weight: 2, arbitrary: fc.record({ kind: kind('begin'), holder, keys, run, retentionMs }) },
	{ weight: 2, arbitrary: fc.record({ kind: kind('giveBack'), holder, keys, run, retentionMs }) },
	{
		weight: 8,
		arbitrary: fc.record({ kind: kind('beginClaimed'), holder, claim, run, retentionMs }),
	},
	{ weight: 4, arbitrary: fc.record({ kind: kind('finish'), claim, retentionMs }) },
	{ weight: 1, arbitrary: fc.record({ kind: kind('reopen'), holder, keys, at, retentionMs }) },
);

export const interleaving: fc.Arbitrary<Moment[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				kind: kind('actions'),
				actions: fc.array(action, { minLength: 1, maxLength: 4, size: 'max' }),
			}),
		},
		{ weight: 3, arbitrary: fc.record({ kind: kind('pause'), ms: fc.constantFrom(...PAUSES_MS) }) },
		{ weight: 1, arbitrary: fc.record({ kind: kind('setBack') }) },
		{ weight: 1, arbitrary: fc.record({ kind: kind('crash'), holder }) },
	),
	{ minLength: 3, maxLength: 25, size: 'max' },
);

const together = (...actions: Action[]): Moment => ({ kind: 'actions', actions });
const LONG_MS = 100_000_005_000;

/** Covers every possible result, in case random steps miss one. */
export const everyAnswer: Moment[] = [
	together({ kind: 'look', holder: 0, key: 0 }),
	together({ kind: 'claim', holder: 0, key: 0, leaseMs: 65_000 }),
	together({ kind: 'look', holder: 1, key: 0 }),
	together({ kind: 'claim', holder: 1, key: 0, leaseMs: 65_000 }),
	together({ kind: 'renew', claim: 0, leaseMs: 65_000 }),
	together({ kind: 'commit', claim: 0, retentionMs: LONG_MS }),
	together(
		{ kind: 'look', holder: 1, key: 0 },
		{ kind: 'claim', holder: 1, key: 0, leaseMs: 65_000 },
	),
	together({ kind: 'commit', claim: 0, retentionMs: LONG_MS }),
	together({ kind: 'renew', claim: 0, leaseMs: 65_000 }),
	together({ kind: 'release', claim: 0 }),
	{ kind: 'pause', ms: 1_800_000 },
	together({ kind: 'look', holder: 2, key: 0 }),
	together({ kind: 'claim', holder: 2, key: 0, leaseMs: 65_000 }),
	together({ kind: 'giveBack', holder: 1, keys: [0], run: 0, retentionMs: LONG_MS }),
	together({ kind: 'release', claim: 0 }),
	together({ kind: 'begin', holder: 1, keys: [0], run: 0, retentionMs: LONG_MS }),
	together({ kind: 'begin', holder: 1, keys: [0], run: 1, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 0, key: 0 }),
	together({ kind: 'giveBack', holder: 1, keys: [0], run: 1, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 0, key: 0 }),
	together({ kind: 'giveBack', holder: 1, keys: [0], run: 0, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 0, key: 0 }),
	// Key 1: an awaited execution fails, the next one succeeds, and a user runs the event again.
	together({ kind: 'claim', holder: 0, key: 1, leaseMs: 65_000 }),
	together({ kind: 'beginClaimed', holder: 1, claim: 0, run: 0, retentionMs: LONG_MS }),
	together({ kind: 'beginClaimed', holder: 1, claim: 0, run: 1, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 2, key: 1 }),
	together({ kind: 'release', claim: 0 }),
	together({ kind: 'finish', claim: 0, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 2, key: 1 }),
	together({ kind: 'claim', holder: 2, key: 1, leaseMs: 65_000 }),
	together({ kind: 'beginClaimed', holder: 1, claim: 0, run: 2, retentionMs: LONG_MS }),
	together({ kind: 'finish', claim: 0, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 2, key: 1 }),
	together({ kind: 'reopen', holder: 0, keys: [0, 1], at: 1, retentionMs: LONG_MS }),
	together({ kind: 'look', holder: 2, key: 1 }),
];

interface HeldClaim {
	readonly number: number;
	readonly holder: number;
	readonly key: number;
	readonly claim: Claim;
}

interface Ran {
	readonly key: number;
	readonly step: Step;
	readonly answer: Answer;
}

/** Runs one interleaving; throws if no order of the actions explains the results. Counts the results seen. */
export class Run {
	readonly #holders: Ledger[];
	/** By key, the possible entries after all results so far. */
	readonly #entries: Entry[][] = Array.from({ length: KEYS }, () => [undefined]);
	#claims: HeldClaim[] = [];
	#numbered = 0;
	#now = 0;
	#behindMs = 0;

	/** `name` keeps the events of this run apart from those of others in the same store. */
	constructor(
		private readonly world: LedgerWorld,
		private readonly name: string,
		private readonly seen: Map<string, number>,
	) {
		this.#holders = Array.from({ length: HOLDERS }, () => world.open());
	}

	async play(moments: readonly Moment[]): Promise<void> {
		const lookAtAll = Array.from({ length: KEYS }, (_unused, key) => {
			return { kind: 'look', holder: 0, key } as const;
		});
		for (const moment of moments) {
			if (moment.kind === 'pause') await this.#pause(moment.ms);
			else if (moment.kind === 'setBack') this.#setBack();
			if (moment.kind === 'pause' || moment.kind === 'setBack') await this.#act(lookAtAll);
			else if (moment.kind === 'crash') await this.#crash(moment.holder);
			else await this.#act(moment.actions);
		}
		// The next run finds the clock where it left it, as time went by.
		if (this.#behindMs > 0) await this.#pause(0);
	}

	async close(): Promise<void> {
		for (const ledger of this.#holders) await ledger.close();
	}

	/** A clock that was set back is right again afterwards. */
	async #pause(ms: number): Promise<void> {
		await this.world.advance(ms + this.#behindMs);
		this.#now += ms + this.#behindMs;
		this.#behindMs = 0;
	}

	#setBack(): void {
		if (!this.world.setBack || this.#behindMs > 0) return;
		this.#behindMs = SET_BACK_MS;
		this.world.setBack(SET_BACK_MS);
		this.#now -= SET_BACK_MS;
	}

	/** No one settles its claims; after the restart it does not know them. */
	async #crash(holder: number): Promise<void> {
		this.#claims = this.#claims.filter((held) => held.holder !== holder);
		await this.#holders[holder]?.close();
		this.#holders[holder] = this.world.open();
	}

	async #act(actions: readonly Action[]): Promise<void> {
		const ran = (await Promise.all(actions.map((each) => this.#run(each)))).flat();
		for (const { step, answer } of ran) {
			const what = `${step.kind}: ${String(answer)
				.replace(/^was .*/, 'was …')
				.replace(/,.*/, '')}`;
			this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
		}
		for (const [key, entries] of this.#entries.entries()) {
			const ofKey = ran.filter((each) => each.key === key);
			const explained = explain(entries, ofKey, this.#now);
			if (explained.length === 0) {
				throw new Error(
					`No order of ${JSON.stringify(ofKey)} at ${this.#now} explains the answers, from ${JSON.stringify(entries)}`,
				);
			}
			this.#entries[key] = explained;
		}
	}

	async #run(action: Action): Promise<Ran[]> {
		if (action.kind === 'claim') return [await this.#claim(action)];
		if (action.kind === 'begin') return this.#begin(action);
		if (action.kind === 'giveBack') return this.#giveBack(action);
		if (action.kind === 'reopen') return this.#reopen(action);
		if (action.kind === 'look') {
			const entry = await this.#holder(action.holder).look(this.#key(action.key));
			return [{ key: action.key, step: { kind: 'look' }, answer: `is ${inWords(entry)}` }];
		}
		const held = this.#claims.at(-1 - action.claim);
		if (!held) return [];
		if (action.kind === 'beginClaimed') {
			const { holder, run, retentionMs } = action;
			const { key, token } = held.claim;
			const begun = this.#holder(holder).begin([key], String(run), retentionMs, [token]);
			const step = { kind: 'begin', run, retentionMs, claim: held.number } as const;
			return [{ key: held.key, step, answer: (await begun)[0] ?? false }];
		}
		const answer = await settle(this.#holder(held.holder), held.claim, action);
		return [{ key: held.key, step: { ...action, claim: held.number }, answer }];
	}

	async #claim({ holder, key, leaseMs }: Action & { kind: 'claim' }): Promise<Ran> {
		const number = this.#numbered++;
		const answer = await this.#holder(holder).claim(this.#key(key), leaseMs);
		if (answer.state === 'claimed') this.#claims.push({ number, holder, key, claim: answer.claim });
		return { key, step: { kind: 'claim', claim: number, leaseMs }, answer: answer.state };
	}

	async #begin(action: Action & { kind: 'begin' }): Promise<Ran[]> {
		const { run, retentionMs } = action;
		const keys = action.keys.map((key) => this.#key(key));
		const answers = await this.#holder(action.holder).begin(keys, String(run), retentionMs);
		if (answers.length !== keys.length) throw new Error('Not every key has got an answer');
		return answers.map((answer, index) => {
			return { key: action.keys[index] ?? -1, step: { kind: 'begin', run, retentionMs }, answer };
		});
	}

	async #giveBack(action: Action & { kind: 'giveBack' }): Promise<Ran[]> {
		const { run, retentionMs } = action;
		const keys = action.keys.map((key) => this.#key(key));
		await this.#holder(action.holder).giveBack(keys, String(run), retentionMs);
		const step = { kind: 'giveBack', run, retentionMs } as const;
		return action.keys.map((key) => ({ key, step, answer: 'given back' }));
	}

	async #reopen({ holder, keys, at, retentionMs }: Action & { kind: 'reopen' }): Promise<Ran[]> {
		const named = keys.map((key) => this.#key(key));
		const before = await this.#holder(holder).reopen(named, at, retentionMs);
		return before.map((entry, index) => {
			const step = { kind: 'reopen', at, retentionMs } as const;
			return { key: keys[index] ?? -1, step, answer: `was ${inWords(entry)}` };
		});
	}

	#holder(number: number): Ledger {
		const ledger = this.#holders[number];
		if (!ledger) throw new Error(`There is no holder ${number}`);
		return ledger;
	}

	#key(key: number): string {
		return ledgerKey(this.name, String(key));
	}
}

async function settle(
	ledger: Ledger,
	claim: Claim,
	action: Action & { kind: 'renew' | 'commit' | 'release' | 'finish' },
): Promise<boolean> {
	if (action.kind === 'renew') return ledger.renew(claim, action.leaseMs);
	if (action.kind === 'commit') return ledger.commit(claim, action.retentionMs);
	if (action.kind === 'finish') {
		const [isSettled = false] = await ledger.finishAll([claim], action.retentionMs);
		return isSettled;
	}
	return ledger.release(claim);
}

/** As the model says it. */
function inWords({ state, run = '', attempts, reopenedAt }: LookedUp): string {
	return `${state}, ${attempts} by ${run}, reopened ${reopenedAt ?? ''}`;
}
