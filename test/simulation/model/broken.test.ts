import * as life from '../../../lib/ledger/life/steps';
import { broken, slips } from './broken';
import { ONE_DELIVERY } from './options';
import { protocolOf } from './protocol';
import { search } from './search';

it.each(
	Object.entries(broken).map(([how, [what, ledger, where]]) => ({ how, what, ledger, where })),
)(
	'the ledger would break its promises if $how: $what',
	({ what, ledger, where }) => {
		const options = { ...ONE_DELIVERY, repeats: [true, false], user: true, ...where };
		expect(search(protocolOf(options), { ...life, ...ledger }).fault?.what).toBe(what);
	},
	120_000,
);

it.each(slips)(
	'the ledger cannot keep its promises with callers that $slip: $what',
	({ slip, what }) => {
		const rest = {
			repeats: [true],
			outcomes: ['failed'],
			respondsLate: true,
			stops: true,
		} as const;
		expect(search(protocolOf({ ...ONE_DELIVERY, ...rest, slip }), life).fault?.what).toBe(what);
	},
	120_000,
);

it('a fault is shown step by step', () => {
	const [, ledger] = broken['begin took what runs in a living process'] ?? [];
	const options = { ...ONE_DELIVERY, repeats: [true] };
	expect(search(protocolOf(options), { ...life, ...ledger }).fault?.steps).toEqual([
		'delivery 0.0 claims',
		'delivery 0.0 gets no response, commits',
		'run 0.0 begins and continues',
		'time goes by',
		'run 1.0 begins and continues',
	]);
});
