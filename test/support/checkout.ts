/** A separate checkout: the current files in a new repository with one commit on `main` and no remote. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { npmEnvironment } from './n8n/npm';

const ROOT = resolve(__dirname, '..', '..');
const NOT_COPIED = new Set(['.git', 'node_modules', 'dist', 'coverage']);

export interface Checkout {
	readonly folder: string;
	/** Runs a program in it and waits for its end. */
	run(command: string, ...args: readonly string[]): { status: number; output: string };
	remove(): void;
}

export function makeCheckout(): Checkout {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-checkout-'));
	for (const entry of readdirSync(ROOT)) {
		if (NOT_COPIED.has(entry) || /\.(tgz|log)$/.test(entry)) continue;
		cpSync(join(ROOT, entry), join(folder, entry), { recursive: true });
	}
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
	const person = { NAME: 'Ann Author', EMAIL: 'ann@localhost' };
	const env = {
		...npmEnvironment(process.env),
		// Ignores the user's git settings: signed commits, hooks, another default branch.
		GIT_CONFIG_GLOBAL: '/dev/null',
		GIT_CONFIG_NOSYSTEM: '1',
		...Object.fromEntries(
			['AUTHOR', 'COMMITTER'].flatMap((role) =>
				Object.entries(person).map(([key, value]) => [`GIT_${role}_${key}`, value]),
			),
		),
	};
	const checkout: Checkout = {
		folder,
		run(command, ...args) {
			const { status, stdout, stderr } = spawnSync(command, args, {
				cwd: folder,
				env,
				encoding: 'utf8',
			});
			return { status: status ?? -1, output: stdout + stderr };
		},
		remove() {
			rmSync(folder, { recursive: true, force: true });
		},
	};
	checkout.run('git', 'init', '--quiet', '--initial-branch=main');
	// The entry in .gitignore matches folders only, not a link to one.
	writeFileSync(join(folder, '.git', 'info', 'exclude'), 'node_modules\n');
	checkout.run('git', 'add', '--all');
	checkout.run('git', 'commit', '--quiet', '--message=Everything');
	return checkout;
}
