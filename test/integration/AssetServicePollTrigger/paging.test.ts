import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../../lib/ledger';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { createPollNode } from '../../support/pollNode';
import { waitFor } from '../../support/wait';
import { startWorld, stopWorlds } from '../../unit/service/world';

const folder = mkdtempSync(join(tmpdir(), 'asset-service-poll-'));

beforeAll(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
});
afterEach(stopWorlds);
afterAll(async () => {
	await (await openLedger({ log: () => undefined })).close();
	rmSync(folder, { recursive: true, force: true });
});

it('starts every event of a service that gives 20 in a page and does not say what follows', async () => {
	const events = Array.from({ length: 100 }, (_, index) => ({
		id: `whevt_${index}`,
		eventType: 'ocpp.message',
		createdAt: new Date(Date.UTC(2026, 0, 1) - index * 1000).toISOString(),
		payload: {},
	}));
	const { settings } = await startWorld({
		api: ({ query }) => {
			const start = events.findIndex(({ id }) => id === query['startingAfter']) + 1;
			return { body: { data: events.slice(start, start + 20) } };
		},
	});
	const node = createPollNode({
		trigger: new AssetServicePollTrigger(),
		parameters: { startFrom: 'retained' },
		credential: { ...settings },
		workflowId: 'workflow-paging',
	});
	await node.activation('activate')();
	await waitFor(() => node.started.length >= events.length, {
		what: 'every event to start',
		everyMs: 20,
	});
	expect(node.started.map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
});
