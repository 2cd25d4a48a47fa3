/** Tests of the contract: the small texts stored next to the events. */
import { randomUUID } from 'node:crypto';
import { changeRecord } from '../../../../lib/ledger';
import { type LedgerScene, MARGIN_MS, RETENTION_MS } from './scene';

export function itKeepsRecords(scene: () => LedgerScene): void {
	it('are kept for everybody until they are replaced or removed', async () => {
		const { world, ledger, other } = scene();
		expect(await other.readRecord('name')).toBeUndefined();
		expect(await ledger.swapRecord('name', undefined, 'one')).toBe(true);
		expect(await other.readRecord('name')).toBe('one');
		await world.advance(RETENTION_MS + MARGIN_MS);
		expect(await other.swapRecord('name', 'one', 'two')).toBe(true);
		expect(await ledger.readRecord('name')).toBe('two');
		expect(await ledger.swapRecord('name', 'two', undefined)).toBe(true);
		expect(await other.readRecord('name')).toBeUndefined();
		expect(await other.swapRecord('name', undefined, undefined)).toBe(true);
	});

	it('are kept as long as a write asks for, and no shorter because of a later one', async () => {
		const { world, ledger, other } = scene();
		expect(await ledger.swapRecord('name', undefined, 'one', RETENTION_MS)).toBe(true);
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect(await other.swapRecord('name', 'one', 'two', RETENTION_MS)).toBe(true);
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect(await ledger.swapRecord('name', 'two', 'three', 1)).toBe(true);
		expect(await ledger.swapRecord('name', 'three', 'four')).toBe(true);
		expect(await other.readRecord('name')).toBe('four');
		await world.advance(2 * MARGIN_MS);
		expect(await other.readRecord('name')).toBeUndefined();
		expect(await other.swapRecord('name', 'four', 'five', RETENTION_MS)).toBe(false);
		expect(await other.swapRecord('name', undefined, 'five')).toBe(true);
		await world.advance(RETENTION_MS + MARGIN_MS);
		expect(await ledger.readRecord('name')).toBe('five');
	});

	it('are not replaced when another has changed them', async () => {
		const { ledger, other } = scene();
		await ledger.swapRecord('name', undefined, 'one');
		expect(await other.swapRecord('name', undefined, 'two')).toBe(false);
		expect(await other.swapRecord('name', undefined, undefined)).toBe(false);
		expect(await other.swapRecord('name', 'zero', 'two')).toBe(false);
		expect(await other.swapRecord('name', 'zero', undefined)).toBe(false);
		expect(await ledger.readRecord('name')).toBe('one');
	});

	it('are replaced by exactly one of many', async () => {
		const { ledger, other } = scene();
		await ledger.swapRecord('name', undefined, 'start');
		const answers = await Promise.all(
			Array.from({ length: 20 }, (_unused, n) =>
				(n % 2 ? ledger : other).swapRecord('name', 'start', String(n)),
			),
		);
		expect(answers.filter((swapped) => swapped)).toHaveLength(1);
	});

	it('add up concurrent changes', async () => {
		const { ledger, other } = scene();
		// A text that two of them would write is one change.
		const add = (text = '0 ') => `${parseInt(text, 10) + 1} ${randomUUID()}`;
		await Promise.all(
			Array.from({ length: 10 }, (_unused, n) => changeRecord(n % 2 ? ledger : other, 'sum', add)),
		);
		expect(await ledger.readRecord('sum')).toMatch(/^10 /);
	});
}
