/** A fixed set of seeds keeps all promises. Their number, not their time, is fixed. */
import { tried } from './tried';

/** Seeds that once showed a fault of the package; the first ones of all are tried anyway. */
const SEEDS = 120;

it(
	'keeps every promise in the histories of a fixed set of seeds',
	() => {
		expect(tried('--seeds', String(SEEDS), '--jobs', '2')).toEqual({ status: 0, output: '' });
	},
	20 * 60_000,
);
