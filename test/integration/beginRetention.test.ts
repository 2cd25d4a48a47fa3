/** How long the ledger keeps the events of an execution. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../lib/ledger';
import { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { withDatabase } from '../support/sqlite';
import { runTrigger } from '../support/triggerRun';

const DAY_MS = 24 * 60 * 60_000;
/** Once it is open, the ledger measures time with its own clock. */
const CLOCKS_APART_MS = 1_000;
const folder = mkdtempSync(join(tmpdir(), 'asset-service-retention-'));
const ledgerPath = join(folder, 'ledger.sqlite');

beforeAll(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
});
afterAll(async () => {
	await (await openLedger({ log: () => undefined })).close();
	rmSync(folder, { recursive: true });
});

/** When the entry of the event expires, in Unix milliseconds. */
function expiryOf(id: string): number {
	const [row] = withDatabase(ledgerPath, (database) =>
		database
			.prepare('SELECT expires FROM entry WHERE key = ?')
			.all(Buffer.from(ledgerKey('workflow', id), 'base64url')),
	);
	return Number(row?.['expires']);
}

const webhook = () => new AssetServiceTrigger();
const poll = () => new AssetServicePollTrigger();

it.each<[string, () => AssetServiceTrigger | AssetServicePollTrigger, INodeParameters, number]>([
	['35 days by default', webhook, {}, 35],
	['the days given', webhook, { options: { retentionDays: 60 } }, 60],
	['35 days with the poll trigger', poll, {}, 35],
])('keeps an event for %s', async (_which, createTrigger, parameters, days) => {
	for (const mode of ['trigger', 'retry'] as const) {
		const before = Date.now();
		const id = randomUUID();
		await runTrigger({
			...{ trigger: createTrigger(), parameters, mode },
			...{ executionId: '1', workflowId: 'workflow', items: [{ id }] },
		});
		const until = expiryOf(id);
		expect(until).toBeGreaterThanOrEqual(before + days * DAY_MS - CLOCKS_APART_MS);
		expect(until).toBeLessThanOrEqual(Date.now() + days * DAY_MS + CLOCKS_APART_MS);
	}
});
