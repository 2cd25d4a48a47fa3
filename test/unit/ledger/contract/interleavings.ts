/** Interleavings of several holders on a few events, as fast-check generates them, run against a store and the model. */
import fc from 'fast-check';
import { type Claim, type Ledger, ledgerKey } from '../../../../lib/ledger';
import { type Answer, explain, Model, type Step } from './model';
import type { LedgerWorld } from './world';

const HOLDERS = 3;
const KEYS = 2;
/** Ends never fall on a moment that `advance` reaches: 5 s are left for a store with a clock of its own. */
const LEASES_MS = [65_000, 125_000];
const RETENTIONS_MS = [245_000, 1_005_000];
const PAUSES_MS = [20_000, 60_000, 140_000, 300_000];

type Action =
	| {
			readonly kind: 'claim';
			readonly holder: number;
			readonly key: number;
			readonly leaseMs: number;
	  }
	| { readonly kind: 'renew'; readonly claim: number; readonly leaseMs: number }
	| { readonly kind: 'commit'; readonly claim: number; readonly retentionMs: number }
	| { readonly kind: 'release'; readonly claim: number };

/** What happens at one moment: time goes by, a holder dies and starts again, or some actions at once. */
export type Moment =
	| { readonly kind: 'pause'; readonly ms: number }
	| { readonly kind: 'crash'; readonly holder: number }
	| { readonly kind: 'actions'; readonly actions: readonly Action[] };

const holder = fc.nat(HOLDERS - 1);
const leaseMs = fc.constantFrom(...LEASES_MS);
/** Which of the claims made so far, counted from the last one. */
const claim = fc.nat(4);

const action: fc.Arbitrary<Action> = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('claim' as const),
			holder,
			key: fc.nat(KEYS - 1),
			leaseMs,
		}),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('renew' as const), claim, leaseMs }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('commit' as const),
			claim,
			retentionMs: fc.constantFrom(...RETENTIONS_MS),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), claim }) },
);

export const interleaving: fc.Arbitrary<Moment[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				kind: fc.constant('actions' as const),
				actions: fc.array(action, { minLength: 1, maxLength: 4 }),
			}),
		},
		{
			weight: 2,
			arbitrary: fc.record({
				kind: fc.constant('pause' as const),
				ms: fc.constantFrom(...PAUSES_MS),
			}),
		},
		{ weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), holder }) },
	),
	{ minLength: 3, maxLength: 20 },
);

interface HeldClaim {
	readonly number: number;
	readonly holder: number;
	readonly key: number;
	readonly claim: Claim;
}

/** Runs one interleaving; throws when no order of the actions explains the answers. Counts the answers seen. */
export class Run {
	readonly #holders: Ledger[];
	#models: Model[] = [new Model()];
	#claims: HeldClaim[] = [];
	#numbered = 0;
	#now = 0;

	/** `name` keeps the events of this run apart from those of others in the same store. */
	constructor(
		private readonly world: LedgerWorld,
		private readonly name: string,
		private readonly seen: Map<string, number>,
	) {
		this.#holders = Array.from({ length: HOLDERS }, () => world.open());
	}

	async play(moments: readonly Moment[]): Promise<void> {
		for (const moment of moments) {
			if (moment.kind === 'pause') {
				await this.world.advance(moment.ms);
				this.#now += moment.ms;
			} else if (moment.kind === 'crash') await this.#crash(moment.holder);
			else await this.#act(moment.actions);
		}
	}

	async close(): Promise<void> {
		for (const ledger of this.#holders) await ledger.close();
	}

	/** Its claims are settled by nobody; its next life knows nothing of them. */
	async #crash(holder: number): Promise<void> {
		this.#claims = this.#claims.filter((held) => held.holder !== holder);
		await this.#holders[holder]?.close();
		this.#holders[holder] = this.world.open();
	}

	async #act(actions: readonly Action[]): Promise<void> {
		const running = actions.map((each) => this.#start(each)).filter((each) => each !== undefined);
		const ran = await Promise.all(
			running.map(async ({ step, answer }) => ({ step, answer: await answer })),
		);
		for (const { step, answer } of ran) {
			const what = `${step.kind}: ${String(answer)}`;
			this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
		}
		this.#models = explain(this.#models, ran, this.#now);
		if (this.#models.length === 0) {
			throw new Error(`No order of these explains the answers: ${JSON.stringify(ran)}`);
		}
	}

	#start(action: Action): { step: Step; answer: Promise<Answer> } | undefined {
		if (action.kind === 'claim') {
			const number = this.#numbered++;
			const { kind, key, leaseMs } = action;
			return { step: { kind, key, claim: number, leaseMs }, answer: this.#claim(action, number) };
		}
		const held = this.#claims.at(-1 - action.claim);
		const ledger = held && this.#holders[held.holder];
		if (!ledger) return undefined;
		const step = { ...action, key: held.key, claim: held.number };
		if (action.kind === 'renew') {
			return { step, answer: ledger.renew(held.claim, action.leaseMs) };
		}
		if (action.kind === 'commit') {
			return { step, answer: ledger.commit(held.claim, action.retentionMs) };
		}
		return { step, answer: ledger.release(held.claim) };
	}

	async #claim(action: Action & { kind: 'claim' }, number: number): Promise<Answer> {
		const { holder, key, leaseMs } = action;
		const ledger = this.#holders[holder];
		if (!ledger) throw new Error(`There is no holder ${holder}`);
		const answer = await ledger.claim(ledgerKey(this.name, String(key)), leaseMs);
		if (answer.state === 'claimed') this.#claims.push({ number, holder, key, claim: answer.claim });
		return answer.state;
	}
}
