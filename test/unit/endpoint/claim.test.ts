import { ensureRegistered, load, stepRegistration, untilMade } from '../../../lib/endpoint';
import { ledgerKey } from '../../../lib/ledger';
import { recordText } from '../../support/records';
import { useStoppedClock } from '../ledger/stoppedClock';
import { createWorld, killPublication, WANTED } from './world';

const NEVER = { rotateAfterMs: 0, graceMs: 0 };

useStoppedClock();

describe('the claim of a process that creates an endpoint', () => {
	it('lasts as long as the process lives, however slow the service, and nobody else creates one', async () => {
		const world = createWorld();
		const { key, openLedger } = world.another();
		await (await openLedger()).claim(ledgerKey('endpoint', key));
		expect(await stepRegistration(world.context, NEVER, WANTED)).toBe(world.now + 10_000);
		const publication = expect(ensureRegistered(world.context, WANTED)).rejects.toMatchObject({
			message: expect.stringContaining('Another n8n process') as string,
			hint: expect.stringContaining('publish the workflow again') as string,
		});
		await jest.advanceTimersByTimeAsync(70_000);
		await publication;
		expect(world.mostAtOnce).toBe(0);
	});

	it('ends a minute after the process was killed: a publication waits for that, a step does not', async () => {
		const world = createWorld();
		world.ledger.put(ledgerKey('endpoint', world.context.key), 'pending', { holder: 'killed' });
		world.ledger.sessions.set('killed', Date.now() + 60_000);
		const other = world.another();
		const step = async () => await stepRegistration(other, NEVER, WANTED);
		const publication = ensureRegistered(world.context, WANTED);
		await jest.advanceTimersByTimeAsync(55_000);
		expect(await step()).toBe(world.now + 10_000);
		expect(world.mostAtOnce).toBe(0);
		await jest.advanceTimersByTimeAsync(10_000);
		expect(await publication).toMatchObject({ current: { id: 'we_1' } });
		expect(await step()).toBeUndefined();
	});
});

describe('a delivery while an endpoint is created', () => {
	it('waits until the secret is kept', async () => {
		const { context, records } = createWorld();
		const text = recordText({ ...WANTED, making: 'mark' });
		records.set(context.key, text);
		setTimeout(() => {
			records.set(context.key, recordText(WANTED));
		}, 3000);
		const made = untilMade(context, await load(context));
		await jest.advanceTimersByTimeAsync(3100);
		expect((await made).registration).toEqual(WANTED);
	});

	it('waits 10 s for a process that has died', async () => {
		const world = createWorld();
		await killPublication(world, 'before');
		const made = untilMade(world.context, await load(world.context));
		await jest.advanceTimersByTimeAsync(10_000);
		expect((await made).registration).toHaveProperty('making');
	});
});
