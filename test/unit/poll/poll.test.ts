/** One poll as a whole: its requests, and its log lines for the operator. */
import { LedgerUnavailableError } from '../../../lib/ledger';
import { downFrom, eventsAt, MINUTE, pollWorld, START } from './pollWorld';

const at = (minute: number) => START + minute * MINUTE;

it('warns of nothing, and asks the ledger for an event once before it starts it', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	await world.poll();
	expect(world.warnings).toEqual([]);
	expect(world.ledger.calls.slice(0, world.ledger.calls.indexOf('claim'))).toEqual([
		...['readRecord', 'swapRecord', 'look', 'look', 'readRecord', 'swapRecord'],
	]);
});

it('leaves the rest to the next poll when the ledger fails while events start, and says so', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	const claim = jest.spyOn(world.ledger, 'claim');
	claim.mockRejectedValueOnce(new LedgerUnavailableError('The disk is full'));
	await world.poll();
	expect(world.warnings).toEqual([
		expect.stringMatching(/^the next poll continues with the rest: .*The disk is full/),
	]);
	expect(world.state().frontier).toBe(0);
	await world.poll();
	expect(world.started()).toEqual(['e1', 'e2']);
});

it('lists nothing while the poll before is still starting events', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	const { promise: begun, resolve: begin } = Promise.withResolvers<true>();
	const { promise: ended, resolve: end } = Promise.withResolvers<'succeeded'>();
	world.fate = async () => {
		begin(true);
		return await ended;
	};
	const first = world.poll();
	await begun;
	await world.poll();
	expect(world.requests).toStrictEqual([]);
	end('succeeded');
	await first;
	await world.poll();
	expect(world.requests).toStrictEqual([undefined]);
});

it('ends listing when its time is over, after two requests at least, and continues there', async () => {
	const world = pollWorld();
	world.list = eventsAt(...downFrom(30, 1));
	world.now = at(31);
	await world.poll({ budgetMs: 0 });
	expect(world.requests).toStrictEqual([undefined, 'e21']);
	await world.poll({ budgetMs: 0 });
	expect(world.requests).toContain('e11');
});

it('starts no event that was filtered out before when the filter is widened, and the new ones', async () => {
	const world = pollWorld();
	world.list = eventsAt(...downFrom(250, 1));
	world.now = at(251);
	await world.poll({ wanted: 'e250', isWanted: ({ id }) => id === 'e250' });
	world.list.unshift(...eventsAt(252, 251));
	for (const minute of [253, 264, 325, 2_000]) {
		world.now = at(minute);
		await world.poll({ wanted: 'all' });
	}
	expect(world.started()).toEqual(['e250', 'e251', 'e252']);
});
