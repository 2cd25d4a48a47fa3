/** Interleavings of several processes on a few events, as fast-check generates them. */
import fc from 'fast-check';
import type { Outcome } from '../../../../lib/ledger/life/steps';

export const PROCESSES = 3;
export const KEYS = 2;
/** Graces, pauses and retentions never end on a moment that the pauses reach: a store may have a clock of its own. */
const PAUSES_MS = [21_000, 61_000, 141_000, 901_000, 1_801_000];
/** The first ends before the event is overdue, the second within the second grace. */
const RETENTIONS_MS = [605_000, 2_005_000, 100_000_005_000];

export interface Beginning {
	readonly keys: readonly number[];
	readonly acknowledge: 'stored' | 'succeeded';
	readonly reportsEnd: boolean;
	readonly isRetry: boolean;
	readonly retentionMs: number;
}

export type Action = { readonly process: number } & (
	| { readonly kind: 'look' | 'claim'; readonly key: number }
	/** `ofClaim` and `ofRun`: which one so far, counted from the last. */
	| { readonly kind: 'commit'; readonly ofClaim: number; readonly retentionMs: number }
	| { readonly kind: 'release'; readonly ofClaim: number }
	| ({ readonly kind: 'begin' } & Beginning)
	| { readonly kind: 'beginAgain'; readonly ofRun: number }
	| { readonly kind: 'end'; readonly ofRun: number; readonly outcome: Outcome }
	| { readonly kind: 'giveBack'; readonly ofRun: number; readonly isRunningOnly: boolean }
	| {
			readonly kind: 'reopen';
			readonly keys: readonly number[];
			readonly retentionMs: number;
	  }
);

/** One step: time passes, the clock is set back, a process dies, stops in order or is paused, or some act at the same time. */
export type Moment =
	| { readonly kind: 'pass'; readonly ms: number }
	| { readonly kind: 'setBack' }
	| { readonly kind: 'die'; readonly process: number }
	| { readonly kind: 'stop'; readonly process: number }
	/** The others act while it is paused. */
	| { readonly kind: 'pause'; readonly process: number; readonly actions: readonly Action[] }
	| { readonly kind: 'actions'; readonly actions: readonly Action[] };

const process = fc.nat(PROCESSES - 1);
const key = fc.nat(KEYS - 1);
const keys = fc.shuffledSubarray([...Array(KEYS).keys()], { minLength: 1 });
const retentionMs = fc.constantFrom(...RETENTIONS_MS);
const nth = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(4) });
const outcome = fc.constantFrom<Outcome>(
	'succeeded',
	'failed',
	'failed',
	'canceled',
	'asleep',
	'lost',
);

function some<K extends Action['kind'], T extends object>(
	weight: number,
	kind: K,
	rest: fc.Arbitrary<T>,
) {
	const arbitrary = fc
		.tuple(rest, process)
		.map(([fields, by]) => ({ ...fields, kind, process: by }));
	return { weight, arbitrary };
}

const action: fc.Arbitrary<Action> = fc.oneof(
	some(2, 'look', fc.record({ key })),
	some(10, 'claim', fc.record({ key })),
	some(8, 'commit', fc.record({ ofClaim: nth, retentionMs })),
	some(4, 'release', fc.record({ ofClaim: nth })),
	some(
		8,
		'begin',
		fc.record({
			...{ keys, retentionMs, reportsEnd: fc.constantFrom(true, true, true, false) },
			isRetry: fc.constantFrom(false, false, false, true),
			acknowledge: fc.constantFrom<'stored' | 'succeeded'>('stored', 'succeeded', 'succeeded'),
		}),
	),
	some(2, 'beginAgain', fc.record({ ofRun: nth })),
	some(6, 'end', fc.record({ ofRun: nth, outcome })),
	some(3, 'giveBack', fc.record({ ofRun: nth, isRunningOnly: fc.boolean() })),
	some(2, 'reopen', fc.record({ keys, retentionMs })),
);
const actions = fc.array(action, { minLength: 1, maxLength: 4, size: 'max' });

export const interleaving: fc.Arbitrary<Moment[]> = fc.array(
	fc.oneof(
		{ weight: 12, arbitrary: fc.record({ kind: fc.constant('actions' as const), actions }) },
		{
			weight: 6,
			arbitrary: fc.record({
				kind: fc.constant('pass' as const),
				ms: fc.constantFrom(...PAUSES_MS),
			}),
		},
		{ weight: 1, arbitrary: fc.record({ kind: fc.constant('setBack' as const) }) },
		{
			weight: 2,
			arbitrary: fc.record({ kind: fc.constantFrom('die' as const, 'stop' as const), process }),
		},
		{ weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), process, actions }) },
	),
	{ minLength: 3, maxLength: 25, size: 'max' },
);

/** An attempt gives back what another process hands over again: hardly any interleaving comes to that by chance. */
export const GIVEN_BACK_WHILE_PENDING: Moment[] = [
	{
		kind: 'actions',
		actions: [
			{
				...{ kind: 'begin', process: 0, keys: [0], acknowledge: 'succeeded' },
				...{ reportsEnd: true, isRetry: false, retentionMs: 100_000_005_000 },
			},
		],
	},
	{ kind: 'actions', actions: [{ kind: 'end', process: 0, ofRun: 0, outcome: 'failed' }] },
	{ kind: 'pass', ms: 141_000 },
	{ kind: 'actions', actions: [{ kind: 'claim', process: 1, key: 0 }] },
	{ kind: 'actions', actions: [{ kind: 'giveBack', process: 0, ofRun: 0, isRunningOnly: false }] },
];
