/** A few seeds of the simulation with the ledger in a real Redis: `npm run simulate -- --redis` tries more. */
import { tried } from '../../simulation/tried';

it(
	'keeps every promise in the histories of a fixed set of seeds',
	() => {
		expect(tried('--redis', '--seeds', '20')).toEqual({ status: 0, output: '' });
	},
	20 * 60_000,
);
