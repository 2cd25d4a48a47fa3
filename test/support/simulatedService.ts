/** A simulator for each test of a file, and an event ledger of the file's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../lib/ledger';
import { type Simulator, startSimulator } from '../../simulator';

/** Call it at the top of a test file, or of a `describe`. */
export function useSimulatedService() {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-test-'));
	let simulator: Simulator;
	beforeAll(() => {
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
	});
	beforeEach(async () => {
		simulator = await startSimulator();
	});
	afterEach(async () => {
		await simulator.stop();
	});
	afterAll(async () => {
		await (await openLedger({ log: () => undefined })).close();
		rmSync(folder, { recursive: true, force: true });
	});
	return {
		get simulator() {
			return simulator;
		},
		credential: () => {
			const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
			return { baseUrl, authUrl, audience, clientId, clientSecret };
		},
	};
}
