import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../support/lock';

let file: string;
beforeEach(() => {
	file = join(mkdtempSync(join(tmpdir(), 'asset-service-lock-')), 'folder', 'work.lock');
});
afterEach(() => {
	rmSync(join(file, '..', '..'), { recursive: true, force: true });
});

describe('a lock', () => {
	it('lets one piece of work in at a time, and tells those who wait', async () => {
		const events: string[] = [];
		let finish = (): void => undefined;
		const finished = new Promise<void>((resolve) => {
			finish = resolve;
		});
		const first = withLock(file, async () => {
			events.push('first in');
			await finished;
			events.push('first out');
		});
		const onWait = (): void => {
			events.push('second waits');
			finish();
		};
		const second = withLock(file, async () => events.push('second in'), { onWait });
		await Promise.all([first, second]);
		expect(events).toEqual(['second waits', 'first in', 'first out', 'second in']);
	});

	it('is free again after work that failed', async () => {
		await expect(withLock(file, () => Promise.reject(new Error('no luck')))).rejects.toThrow(
			'no luck',
		);
		expect(await withLock(file, () => Promise.resolve('in'))).toBe('in');
	});

	it('is not waited for longer than told', async () => {
		await withLock(file, async () => {
			const second = withLock(file, () => Promise.resolve(), { timeoutMs: 0 });
			await expect(second).rejects.toThrow(/another process holds/);
		});
	});
});
