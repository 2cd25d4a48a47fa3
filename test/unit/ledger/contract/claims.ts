/** Tests of the contract: which process holds an event, and until when. */
import { ledgerKey } from '../../../../lib/ledger';
import { SESSION_MS } from '../../../../lib/ledger/common/store';
import { beginning, claimed, type LedgerScene, RETENTION_MS, stateOf, stored } from './scene';

export function itClaims(scene: () => LedgerScene): void {
	it('are given to the first that asks, and shown as pending to the others', async () => {
		const { ledger, other, key } = scene();
		await claimed(ledger, key);
		expect(await ledger.claim(key)).toEqual({ state: 'pending' });
		expect(await other.claim(key)).toEqual({ state: 'pending' });
		expect(await other.look(key)).toEqual({ state: 'pending', attempts: 0 });
	});

	it('are given to only one of many that ask at once', async () => {
		const { ledger, other, key } = scene();
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_unused, n) => (n % 2 ? ledger : other).claim(key)),
		);
		expect(answers.filter(({ state }) => state === 'claimed')).toHaveLength(1);
		expect(answers.filter(({ state }) => state === 'pending')).toHaveLength(39);
	});

	it('keep the events and the workflows apart', async () => {
		const { ledger, key } = scene();
		await claimed(ledger, key);
		await claimed(ledger, ledgerKey('workflow', 'whevt_2'));
		await claimed(ledger, ledgerKey('another workflow', 'whevt_1'));
	});

	it('that are released go to the next, and a release that is sent again does not touch it', async () => {
		const { ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await ledger.release([claim]);
		expect(await stateOf(other, key)).toBe('free');
		await claimed(other, key);
		await ledger.release([claim]);
		expect(await stateOf(other, key)).toBe('pending');
	});

	it('of a process that lives stay, however long', async () => {
		const { processes, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await processes.pass(10 * SESSION_MS);
		expect(await other.claim(key)).toEqual({ state: 'pending' });
		await ledger.commit([claim], RETENTION_MS);
		expect(await stateOf(other, key)).toBe('stored');
	});

	it('of a process that died go to the next when its session is over, not before', async () => {
		const { processes, process, ledger, other, key } = scene();
		await claimed(ledger, key);
		process.isRunning = false;
		await processes.pass(SESSION_MS / 2);
		expect(await other.claim(key)).toEqual({ state: 'pending' });
		await processes.pass(SESSION_MS / 2 + 5_000);
		expect(await stateOf(other, key)).toBe('free');
		await claimed(other, key);
	});

	it('of a process that stopped in order go to the next at once, and it claims under another name', async () => {
		const { processes, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await ledger.close();
		const young = await processes.startYoung();
		expect(await stateOf(young.ledger, key)).toBe('free');
		await claimed(other, key);
		await ledger.release([claim]);
		expect(await ledger.claim(key)).toEqual({ state: 'pending' });
	});

	it('stay for a process that has not lived long enough to take another for dead', async () => {
		const { processes, process, ledger, key } = scene();
		await claimed(ledger, key);
		await processes.pause(process);
		const young = await processes.startYoung();
		expect(await young.ledger.claim(key)).toEqual({ state: 'pending' });
		await young.renew();
		await young.renew();
		await claimed(young.ledger, key);
	});

	it('of a process that was paused are its own again, unless another took them', async () => {
		const { processes, process, ledger, other, key } = scene();
		const taken = ledgerKey('workflow', 'taken');
		const claims = [await claimed(ledger, key), await claimed(ledger, taken)];
		await processes.pause(process);
		expect(await stateOf(other, key)).toBe('free');
		await claimed(other, taken);
		await processes.resume(process);
		expect(await other.claim(key)).toEqual({ state: 'pending' });
		await ledger.release(claims);
		expect(await stateOf(other, key)).toBe('free');
		expect(await stateOf(other, taken)).toBe('pending');
	});

	it('can be committed and released together, each as if by itself', async () => {
		const { ledger, other, key } = scene();
		const [begun, free] = [ledgerKey('workflow', 'begun'), ledgerKey('workflow', 'free')];
		const claims = [await claimed(ledger, key), await claimed(ledger, begun)];
		const lost = await claimed(ledger, free);
		await ledger.release([lost]);
		await other.begin([begun], beginning('run'));
		await ledger.commit([...claims, lost], RETENTION_MS);
		await ledger.commit([], RETENTION_MS);
		const states = [key, begun, free].map((each) => stateOf(other, each));
		expect(await Promise.all(states)).toEqual(['stored', 'running', 'stored']);
		await ledger.release([...claims, lost]);
		const after = [key, begun, free].map((each) => stateOf(other, each));
		expect(await Promise.all(after)).toEqual(['overdue', 'running', 'overdue']);
	});

	it('are kept when every process has closed the ledger', async () => {
		const { ledger, other, key } = scene();
		await stored(ledger, key);
		await ledger.close();
		await other.close();
		expect(await ledger.claim(key)).toEqual({ state: 'committed' });
	});

	it('end for a process that waits when its claim has begun here or elsewhere, or after its time', async () => {
		const { ledger, other, key } = scene();
		for (const [n, begins] of [ledger, other].entries()) {
			const event = ledgerKey('workflow', `${n}`);
			const claim = await claimed(ledger, event);
			const startedAt = performance.now();
			const waits = ledger.untilBegun(claim, 20_000);
			await begins.begin([event], beginning(`run ${n}`));
			await waits;
			expect(performance.now() - startedAt).toBeLessThan(10_000);
		}
		await ledger.untilBegun(await claimed(ledger, key), 50);
		expect(await stateOf(other, key)).toBe('pending');
	});
}
