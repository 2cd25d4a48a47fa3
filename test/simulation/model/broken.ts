/** Steps that are wrong on purpose, each with the fault that the search finds then, and where it finds it soon. */
import type { Entry } from '../../../lib/ledger/life/entry';
import * as life from '../../../lib/ledger/life/steps';
import { type Options, TWO_DELIVERIES } from './options';
import type { Steps } from './search';

const TWO = 'two executions run';
const TWICE = 'continued twice';
const NEVER = 'never to start again';
const STRAY = 'running in a living process that knows nothing of it';
const UNMARKED = 'replayed, and its items do not show it';

/** The entry in other words, if it is of this kind. */
function as(
	kind: Entry['kind'],
	entry: Entry | undefined,
	other: Partial<Entry>,
): Entry | undefined {
	return entry?.kind === kind ? { ...entry, ...other } : entry;
}

type Broken = readonly [what: string, steps: Partial<Steps>, options?: Partial<Options>];

export const broken: Record<string, Broken> = {
	'begin took what runs in a living process': [
		TWO,
		{
			begin: (entry, attempt, moment) =>
				life.begin(entry, attempt, { ...moment, isHolderDead: true }),
		},
	],
	'begin took what is done': [
		'begun after a success',
		{ begin: (entry, ...rest) => life.begin(as('done', entry, { kind: 'stored' }), ...rest) },
	],
	'begin took what is asleep': [
		'begun after it went to sleep',
		{ begin: (entry, ...rest) => life.begin(as('asleep', entry, { kind: 'stored' }), ...rest) },
	],
	'begin went by the setting of the one that asks': [
		TWICE,
		{
			begin: (entry, attempt, moment) =>
				life.begin(entry && { ...entry, repeats: attempt.repeats }, attempt, moment),
		},
	],
	'all starts of an execution were one attempt': [
		TWO,
		{
			begin: (entry, attempt, moment) =>
				life.begin(entry, { ...attempt, run: entry?.run ?? attempt.run }, moment),
		},
	],
	'an attempt could not ask again': [
		STRAY,
		{ begin: (entry, ...rest) => life.begin(entry && { ...entry, run: undefined }, ...rest) },
	],
	'claim called what is handed over a duplicate': [
		'acknowledged, and never stored',
		{
			claim: (...asked) => {
				const step = life.claim(...asked);
				return step.result.state === 'pending' ? { result: { state: 'committed' } } : step;
			},
		},
	],
	'claim never took what is overdue': [
		NEVER,
		{
			claim: (entry, ...rest) =>
				entry?.kind === 'stored' ? { result: { state: 'committed' } } : life.claim(entry, ...rest),
		},
	],
	'claim took nobody for dead': [
		NEVER,
		{
			claim: (entry, claimant, moment) =>
				life.claim(entry, claimant, { ...moment, isHolderDead: false }),
		},
	],
	'claim did not wait until an event is due': [
		'claimed before it is due',
		{ claim: (entry, ...rest) => life.claim(as('failed', entry, { at: 1 }), ...rest) },
	],
	'claim skipped what has failed': [
		NEVER,
		{ claim: (entry, ...rest) => life.claim(as('failed', entry, { kind: 'done' }), ...rest) },
	],
	'commit overwrote what runs': [
		TWO,
		{
			commit: (entry, ...rest) =>
				life.commit(as('running', entry, { kind: 'stored', at: 1 }), ...rest),
		},
	],
	'release did not compare the claim': [
		'released the claim of another',
		{
			release: (entry, { session, number }) =>
				life.release(entry && { ...entry, holder: session, claim: number }, { session, number }),
		},
		TWO_DELIVERIES,
	],
	'a failure undid a success': [
		'a success is not kept',
		{
			end: (entry, ending, moment) =>
				life.end(as('done', entry, { kind: 'running', run: ending.run }), ending, moment),
		},
	],
	'only the last attempt could succeed': [
		'a success is not kept',
		{
			end: (entry, ending, moment) =>
				entry?.run === ending.run ? life.end(entry, ending, moment) : { result: undefined },
		},
	],
	'an older attempt could fail': [
		TWO,
		{
			end: (entry, ending, moment) =>
				life.end(as('running', entry, { run: ending.run }), ending, moment),
		},
	],
	'an attempt could not fall asleep when the event was stored again': [
		'does not stay asleep',
		{
			end: (entry, ending, moment) =>
				ending.outcome === 'asleep' && entry?.kind === 'stored'
					? { result: undefined }
					: life.end(entry, ending, moment),
		},
		{ ...TWO_DELIVERIES, repeats: [true], outcomes: ['asleep'], user: false },
	],
	'nothing could be given back': [STRAY, { giveBack: () => ({ result: true }) }],
	'anybody could give back what runs': [
		TWO,
		{
			giveBack: (entry, given, moment) =>
				life.giveBack(entry, { ...given, run: entry?.run ?? given.run }, moment),
		},
	],
	'an attempt could give back what is handed over': [
		'gave back what another hands over',
		{
			giveBack: (entry, ...given) =>
				life.giveBack(as('pending', entry, { kind: 'stored' }), ...given),
		},
	],
	'claim forgot that the event was replayed': [
		UNMARKED,
		{
			claim: (entry, ...rest) => life.claim(entry && { ...entry, reopenedAt: undefined }, ...rest),
		},
	],
	'begin forgot that the event was replayed': [
		UNMARKED,
		{
			begin: (entry, ...rest) => {
				const { next, ...step } = life.begin(entry, ...rest);
				return next ? { ...step, next: { ...next, reopenedAt: undefined } } : step;
			},
		},
	],
	'commit forgot what the event was': [
		UNMARKED,
		{
			commit: (entry, claimant, moment) => {
				const { next, ...step } = life.commit(entry, claimant, moment);
				return next ? { ...step, next: { ...next, reopenedAt: undefined } } : step;
			},
		},
	],
	'release forgot what the event was': [
		UNMARKED,
		{
			release: (entry, claimant) =>
				life.release(as('pending', entry, { before: undefined }), claimant),
		},
	],
	'an attempt from before a replay could settle it': [
		UNMARKED,
		{
			end: (entry, ending, moment) =>
				life.end(entry, { ...ending, reopenings: entry?.reopenings ?? 0 }, moment),
		},
	],
	'a user could replay what runs': [
		TWO,
		{ reopen: (entry, at, moment) => life.reopen(entry, at, { ...moment, isHolderDead: true }) },
	],
};

export const slips: readonly {
	readonly slip: NonNullable<Options['slip']>;
	readonly what: string;
}[] = [
	{ slip: 'trust every response', what: 'acknowledged, and no success' },
	{ slip: 'give back once', what: STRAY },
	{ slip: 'close while executions run', what: TWO },
];
