import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../support/lock';
import { gate } from '../../support/wait';

it('a lock lets one piece of work in at a time, and is free again after work that failed', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-lock-'));
	const file = join(folder, 'work.lock');
	const events: string[] = [];
	const { opened: finished, open: finish } = gate();
	const first = withLock(file, async () => {
		await finished;
		events.push('first fails');
		throw new Error('no luck');
	});
	const second = withLock(file, async () => events.push('second in'), { onWait: finish });
	await Promise.all([expect(first).rejects.toThrow('no luck'), second]);
	expect(events).toEqual(['first fails', 'second in']);
	rmSync(folder, { recursive: true });
});
