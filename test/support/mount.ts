/** A small disk of a test's own, that can be full and read-only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
	/** Where it is mounted. */
	readonly folder: string;
	/** Takes up all the space that is left. */
	fill(): void;
	/** Gives back what `fill` took. */
	empty(): void;
	/** Needs all its files to be closed. */
	setReadOnly(readOnly: boolean): void;
	/** May be called twice. */
	remove(): void;
}

/** Mounts a disk in memory of so many KiB; throws with a way out where this process may not mount. */
export function createSmallDisk(sizeKib: number): SmallDisk {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-disk-'));
	try {
		mount(['-t', 'tmpfs', '-o', `size=${sizeKib}k,mode=700`, 'tmpfs', folder]);
	} catch (error) {
		rmSync(folder, { recursive: true });
		throw error;
	}
	const filler = join(folder, 'filler');
	let mounted = true;
	return {
		folder,
		fill() {
			try {
				writeFileSync(filler, Buffer.alloc(sizeKib * 1024), { flag: 'a' });
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
			}
		},
		empty() {
			rmSync(filler, { force: true });
		},
		setReadOnly(readOnly) {
			mount(['-o', `remount,${readOnly ? 'ro' : 'rw'}`, folder]);
		},
		remove() {
			if (!mounted) return;
			// Lazily: a process that still has a file open must not keep the test from cleaning up.
			execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
			mounted = false;
			rmSync(folder, { recursive: true });
		},
	};
}

function mount(args: readonly string[]): void {
	try {
		execFileSync('mount', args, { stdio: 'pipe' });
	} catch (error) {
		const { stderr } = error as { stderr?: Buffer };
		throw new Error(
			'This test mounts a small disk in memory, which root may do (in a container: with the capability SYS_ADMIN). ' +
				`Run it as root. mount answered: ${stderr?.toString().trim() ?? String(error)}`,
			{ cause: error },
		);
	}
}
