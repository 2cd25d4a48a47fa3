import * as life from '../../../lib/ledger/life/steps';
import { ONE_DELIVERY, ONE_PROCESS, type Options, TWO_DELIVERIES } from './options';
import { protocolOf } from './protocol';
import { search } from './search';

/** With how many different worlds there are at least: far fewer would mean that steps are missing. */
const searched: Record<string, readonly [least: number, Options]> = {
	'Do Not Start Again, with two deliveries and two executions at a time': [
		60_000,
		{ ...TWO_DELIVERIES, repeats: [false] },
	],
	'Start Again, with two deliveries and two executions at a time': [
		160_000,
		{ ...TWO_DELIVERIES, repeats: [true], outcomes: ['succeeded'], respondsLate: true },
	],
	'Start Again, with executions that fail, sleep or are lost': [
		60_000,
		{ ...ONE_DELIVERY, repeats: [true], respondsLate: true },
	],
	'a setting that a user changes': [
		80_000,
		{ ...ONE_DELIVERY, repeats: [true, false], outcomes: ['failed'] },
	],
	'a user who retries and replays, in one process': [
		50_000,
		{ ...ONE_PROCESS, repeats: [true, false], user: true },
	],
	'a user who retries and replays, in two processes': [
		40_000,
		{ ...ONE_DELIVERY, repeats: [true], outcomes: ['succeeded'], user: true },
	],
	'processes that stop in order': [
		80_000,
		{ ...ONE_DELIVERY, repeats: [true], outcomes: ['failed'], stops: true },
	],
	'an n8n that does not report how executions end': [
		4_000,
		{ ...ONE_PROCESS, repeats: [false], outcomes: undefined, user: true },
	],
};

it.each(Object.entries(searched).map(([what, [least, options]]) => ({ what, least, options })))(
	'the ledger keeps its promises in every order of the steps: $what',
	({ least, options }) => {
		const { fault, states } = search(protocolOf(options), life);
		expect(fault).toBeUndefined();
		expect(states).toBeGreaterThan(least);
	},
	300_000,
);
