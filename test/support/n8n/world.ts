/** A whole n8n for one test file: fresh user folder, packed package installed, owner set up, client signed in. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureN8n } from './install';
import { type Log, silent } from '../log';
import { installPackage, packPackage } from './package';
import { createN8nClient, type N8nClient, type Owner } from './rest';
import { type N8nServer, startN8n } from './server';

export interface WorldOptions {
	/** Whether this package is built, packed and installed; true unless told. */
	readonly withPackage?: boolean;
	/** Added to n8n's environment. */
	readonly env?: Readonly<Record<string, string>>;
	readonly port?: number;
	/** Progress lines; none unless told. */
	readonly log?: Log;
}

export interface World {
	/** n8n's user folder: `.n8n` is in it. Removed by `dispose`. */
	readonly userFolder: string;
	readonly server: N8nServer;
	/** Signed in as the owner; stays so over restarts. */
	readonly client: N8nClient;
	readonly owner: Owner;
	readonly url: string;
	/** Stops n8n in order and starts it again with what it had stored; `env` holds for the new run. */
	restart(env?: Readonly<Record<string, string>>): Promise<void>;
	/** Ends n8n and removes everything; may be called at any time, and twice. */
	dispose(): Promise<void>;
}

/** The owner of every n8n that the tests and the demo set up; these exist on this machine alone, for minutes. */
export const OWNER: Owner = {
	email: 'owner@example.com',
	password: 'Assets4Everyone',
	firstName: 'Olive',
	lastName: 'Owner',
};

export async function createWorld(options: WorldOptions = {}): Promise<World> {
	const { withPackage = true, env, port, log = silent } = options;
	// Before the folder is made: these two take minutes the first time, and may fail.
	await ensureN8n({ log });
	const tgz = withPackage ? await packPackage({ log }) : undefined;

	const userFolder = temporaryFolder();
	let server: N8nServer | undefined;
	const dispose = async (): Promise<void> => {
		await server?.kill();
		rmSync(userFolder, { recursive: true, force: true });
	};
	try {
		if (tgz) {
			log('Installing the package in a fresh n8n ...');
			await installPackage(tgz, userFolder);
		}
		log('Starting n8n ...');
		server = await startN8n({ userFolder, log, ...(env && { env }), ...(port && { port }) });
		const client = createN8nClient(server.url);
		await client.setUpOwner(OWNER);
		const running = server;
		return {
			userFolder,
			server,
			client,
			owner: OWNER,
			url: server.url,
			async restart(runEnv) {
				await running.stop();
				await running.start(runEnv);
			},
			dispose,
		};
	} catch (error) {
		await dispose();
		throw error;
	}
}

/** A new empty folder, removed by whoever asked for it. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-n8n-'));
	mkdirSync(join(folder, '.n8n'));
	return folder;
}
