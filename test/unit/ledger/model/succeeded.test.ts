import { after, type KnownEntry, stateOf, type Step } from '../contract/model';
import { type LedgerModel, search } from './search';
import { succeededOnce } from './succeeded';

type StepOf<K> = Step & { readonly kind: K };

/** The ledger with different behaviour for steps of one kind on an existing entry; undefined means no difference. */
function but<K extends Step['kind']>(
	kind: K,
	instead: (entry: KnownEntry, step: StepOf<K>) => ReturnType<LedgerModel> | undefined,
): LedgerModel {
	return (entry, step, now) => {
		const isMeant = (asked: Step): asked is StepOf<K> => asked.kind === kind;
		const other = entry && isMeant(step) ? instead(entry, step) : undefined;
		return other ?? after(entry, step, now);
	};
}

const TWO = 'two executions ran';
const NEVER = 'not done, and no later copy can start it';
const RASH = 'acknowledged, and no execution has succeeded';
const AFTER_DONE = 'begun after it was done';
const UNMARKED = 'reopened, and its items do not show it';

const broken: Record<string, readonly [what: string, ledger: LedgerModel]> = {
	'begin did not compare the token': [
		UNMARKED,
		but('begin', (entry, step) =>
			step.claim === undefined ? undefined : after(entry, { ...step, claim: entry.holder }, 0),
		),
	],
	'begin let any start of the execution continue': [
		TWO,
		but('begin', (entry, step) =>
			step.claim === undefined || entry.state !== 'running'
				? undefined
				: { answer: entry.holder === step.claim, entry: { ...entry, run: step.run } },
		),
	],
	'begin took what is done': [
		AFTER_DONE,
		but('begin', (entry, { run, claim }) =>
			entry.state === 'done' && claim !== undefined
				? { answer: true, entry: { ...entry, run } }
				: undefined,
		),
	],
	'release did not compare the token': [
		TWO,
		but('release', (entry, step) => after(entry, { ...step, claim: entry.holder ?? 0 }, 0)),
	],
	'release forgot what it gives back': [
		UNMARKED,
		but('release', (entry, step) => {
			const { answer } = after(entry, step, 0);
			return answer === true ? { answer, entry: undefined } : undefined;
		}),
	],
	'finish did not compare the token': [
		NEVER,
		but('finish', (entry, step) => after(entry, { ...step, claim: entry.holder ?? 0 }, 0)),
	],
	'finish took what has not begun': [
		NEVER,
		but('finish', (entry, step) =>
			entry.state === 'pending' ? after({ ...entry, state: 'running' }, step, 0) : undefined,
		),
	],
	'finish called a lost event settled': [
		RASH,
		but('finish', (entry, step) => ({ ...after(entry, step, 0), answer: true })),
	],
	'claim took what is running': [
		TWO,
		but('claim', (entry, step) =>
			entry.state === 'running' ? after({ ...entry, due: 0 }, step, 0) : undefined,
		),
	],
	'claim called what is running a duplicate': [
		RASH,
		but('claim', (entry) =>
			stateOf(entry, 0) === 'running' ? { answer: 'committed', entry } : undefined,
		),
	],
	'claim took what is done': [
		AFTER_DONE,
		but('claim', (entry, step) =>
			entry.state === 'done' ? after({ ...entry, state: 'failed' }, step, 0) : undefined,
		),
	],
	'claim left alone what has failed': [
		NEVER,
		but('claim', (entry) =>
			stateOf(entry, 0) === 'failed' ? { answer: 'committed', entry } : undefined,
		),
	],
	'a lease that has run out left the entry running': [
		NEVER,
		but('claim', (entry) => (entry.state === 'running' ? { answer: 'pending', entry } : undefined)),
	],
	'anybody could give back what is running': [
		TWO,
		but('giveBack', (entry, step) => after(entry, { ...step, run: entry.run ?? 0 }, 0)),
	],
	'a person could reopen what is running': [
		TWO,
		but('reopen', (entry, step) =>
			entry.state === 'running' ? after({ ...entry, due: 0 }, step, 0) : undefined,
		),
	],
	'a claim forgot that the event was reopened': [
		UNMARKED,
		but('claim', (entry, step) => after({ ...entry, reopenedAt: undefined }, step, 0)),
	],
};

/** Finds a fault of any of these with two copies and two starts. */
const SMALL = { copies: 2, attempts: 2 };

describe('the protocol of an event that must succeed, in every order of its steps', () => {
	it.each([
		['with three copies', { copies: 3, attempts: 2, person: false }, 100_000],
		['with a person who retries and reopens it', { ...SMALL, person: true }, 50_000],
	])(
		'runs one execution at a time until one has succeeded and none after that, %s',
		(_with, size, least) => {
			const { fault, states } = search(succeededOnce(size), after);
			expect(fault).toBeUndefined();
			// Far fewer would mean that steps are missing.
			expect(states).toBeGreaterThan(least);
		},
		300_000,
	);

	it.each(Object.entries(broken).map(([how, [what, ledger]]) => ({ how, what, ledger })))(
		'would go wrong if $how: $what',
		({ what, ledger }) => {
			const { fault } = search(succeededOnce({ ...SMALL, person: true }), ledger);
			expect(fault?.what).toBe(what);
		},
		60_000,
	);

	it.each([
		{ slip: 'starts twice', what: NEVER },
		{ slip: 'gives up after a look', what: TWO },
		{ slip: 'acknowledges unwritten', what: RASH },
	] as const)('cannot make up for one who $slip: $what', ({ slip, what }) => {
		const { fault } = search(succeededOnce({ ...SMALL, person: false, slip }), after);
		expect(fault?.what).toBe(what);
	});

	it('would let two executions run if a claim took a running event, step by step', () => {
		const [, ledger = after] = broken['claim took what is running'] ?? [];
		expect(search(succeededOnce({ ...SMALL, person: false }), ledger).fault?.steps).toEqual([
			'copy 0: claims',
			'copy 0: n8n stores',
			'run 0: begins and continues',
			'copy 1: claims',
			'copy 1: n8n stores',
			'run 1: begins and continues',
		]);
	});
});
