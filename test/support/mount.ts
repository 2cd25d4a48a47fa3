/** A small disk for one test that can be full or read-only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
	/** Where it is mounted. */
	readonly folder: string;
	/** Uses up the remaining space. */
	fill(): void;
	/** Frees the space that `fill` used. */
	empty(): void;
	/** Requires all its files to be closed. */
	setReadOnly(readOnly: boolean): void;
	/** May be called twice. */
	remove(): void;
}

/** Mounts a disk in memory of this size in KiB, and of so many inodes. If this process may not mount, throws an error that says what to do. */
export function createSmallDisk(sizeKib: number, inodes?: number): SmallDisk {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-disk-'));
	try {
		const options = [`size=${sizeKib}k`, 'mode=700', ...(inodes ? [`nr_inodes=${inodes}`] : [])];
		mount(['-t', 'tmpfs', '-o', options.join(), 'tmpfs', folder]);
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
			// Lazily, so that a process with an open file does not keep the test from cleaning up.
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
