import * as life from '../../../../lib/ledger/life/steps';
import { broken, slips } from './broken';
import type { Options } from './options';
import { protocolOf } from './protocol';
import { search } from './search';

const ALL = ['succeeded', 'failed', 'asleep', 'lost'] as const;
const BOTH = [true, false];

/** With how many different worlds there are at least: far fewer would mean that steps are missing. */
const searched: Record<string, readonly [least: number, Options]> = {
	'Once Stored, with two deliveries and two executions at a time in two processes': [
		50_000,
		{
			processes: [
				[1, 1],
				[1, 1],
			],
			repeats: [false],
			outcomes: ALL,
		},
	],
	'Once Succeeded, with two deliveries and two executions at a time in two processes': [
		100_000,
		{
			processes: [
				[1, 1],
				[1, 1],
			],
			repeats: [true],
			outcomes: ['succeeded'],
			respondsLate: true,
		},
	],
	'Once Succeeded, with executions that fail, sleep or are lost': [
		50_000,
		{
			processes: [
				[1, 1],
				[0, 1],
			],
			repeats: [true],
			outcomes: ALL,
			respondsLate: true,
		},
	],
	'Acknowledge that a user changes': [
		50_000,
		{
			processes: [
				[1, 1],
				[0, 1],
			],
			repeats: BOTH,
			outcomes: ['failed'],
		},
	],
	'a user who retries and replays, in one process': [
		40_000,
		{ processes: [[1, 2]], repeats: BOTH, outcomes: ALL, user: true },
	],
	'a user who retries and replays, in two processes': [
		30_000,
		{
			processes: [
				[1, 1],
				[0, 1],
			],
			repeats: [true],
			outcomes: ['succeeded'],
			user: true,
		},
	],
	'processes that stop in order': [
		50_000,
		{
			processes: [
				[1, 1],
				[0, 1],
			],
			repeats: [true],
			outcomes: ['failed'],
			stops: true,
		},
	],
	'an n8n that does not report how executions end': [
		3_000,
		{ processes: [[1, 2]], repeats: [false], outcomes: undefined, user: true },
	],
};

describe('the protocol of an event, in every order of its steps', () => {
	it.each(Object.entries(searched).map(([what, [least, options]]) => ({ what, least, options })))(
		'keeps its promises: $what',
		({ least, options }) => {
			const { fault, states } = search(protocolOf(options), life);
			expect(fault).toBeUndefined();
			expect(states).toBeGreaterThan(least);
		},
		300_000,
	);

	it.each(Object.entries(broken).map(([how, [what, ledger]]) => ({ how, what, ledger })))(
		'would break them if $how: $what',
		({ what, ledger }) => {
			const options = {
				processes: [
					[1, 1],
					[1, 1],
				],
				repeats: BOTH,
				outcomes: ALL,
				user: true,
			} as const;
			expect(search(protocolOf(options), { ...life, ...ledger }).fault?.what).toBe(what);
		},
		120_000,
	);

	it.each(slips)(
		'cannot keep them with callers that $slip: $what',
		({ slip, what }) => {
			const two = {
				processes: [
					[1, 1],
					[1, 1],
				],
				repeats: [true],
				outcomes: ['failed'],
			} as const;
			const options = { ...two, respondsLate: true, stops: true, slip };
			expect(search(protocolOf(options), life).fault?.what).toBe(what);
		},
		120_000,
	);

	it('would let two executions run if begin took what runs elsewhere, step by step', () => {
		const [, ledger] = broken['begin took what runs in a living process'] ?? [];
		const options = {
			processes: [
				[1, 1],
				[0, 1],
			],
			repeats: [true],
			outcomes: ALL,
		} as const;
		expect(search(protocolOf(options), { ...life, ...ledger }).fault?.steps).toEqual([
			'delivery 0.0 claims',
			'delivery 0.0 n8n stores',
			'run 0.0 begins and continues',
			'time goes by',
			'run 1.0 begins and continues',
		]);
	});
});
