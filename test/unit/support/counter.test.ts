import { type Counter, startCounter } from '../../support/counter';
import { waitFor } from '../../support/wait';

let counter: Counter;
beforeEach(async () => {
	counter = await startCounter({ fails: (id, execution) => id === 'failing' && execution === 1 });
});
afterEach(async () => {
	await counter.stop();
});

const call = async (id: string) => await fetch(`${counter.url}/?event=${id}`);

describe('the counter of runs', () => {
	it('counts the executions of each event, and names events that were never executed', async () => {
		for (const id of ['a', 'b', 'a']) await call(id);
		expect([...counter.begun]).toEqual([
			['a', 2],
			['b', 1],
		]);
		expect(counter.lost([{ id: 'a' }, { id: 'c' }])).toEqual(['c']);
	});

	it('keeps what a call says of its execution', async () => {
		await fetch(`${counter.url}/?execution=7&host=127.0.0.1:5678`, { method: 'POST', body: 'a,b' });
		await fetch(`${counter.url}/?event=c&replayed=true`);
		expect(counter.calls).toMatchObject([
			{ events: ['a', 'b'], execution: '7', host: '127.0.0.1:5678', isReplayed: false },
			{ events: ['c'], execution: '', host: '', isReplayed: true },
		]);
	});

	it('lets the executions fail that the test chooses', async () => {
		expect((await call('failing')).status).toBe(500);
		expect((await call('failing')).status).toBe(200);
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
