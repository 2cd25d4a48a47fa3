import { type Counter, startCounter } from '../../support/counter';
import { waitFor } from '../../support/wait';

let counter: Counter;
beforeEach(async () => {
	counter = await startCounter();
});
afterEach(async () => {
	await counter.stop();
});

const call = async (id: string) => await fetch(`${counter.url}/?event=${id}`);

describe('the counter of runs', () => {
	it('names events that were never executed, and those executed more than once', async () => {
		for (const id of ['a', 'b', 'a']) await call(id);
		expect(counter.calls).toEqual(['a', 'b', 'a']);
		expect(counter.lost([{ id: 'a' }, { id: 'c' }])).toEqual(['c']);
		expect(counter.doubled()).toEqual(['a']);
	});

	it('holds a run back until it is let go, and forgets one whose caller has died', async () => {
		counter.hold();
		const dying = new AbortController();
		const died = fetch(`${counter.url}/?event=a`, { signal: dying.signal }).catch(() => 'died');
		const held = call('b');
		await waitFor(() => counter.waiting === 2, { what: 'both calls' });
		dying.abort();
		expect(await died).toBe('died');
		await waitFor(() => counter.waiting === 1, { what: 'one to be gone' });
		counter.letGo();
		expect((await held).status).toBe(200);
	});
});
