/** What an execution gets besides its events: see test/integration/beginRun.test.ts for those. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IExecuteFunctions, INodeExecutionData, WorkflowExecuteMode } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../../lib/ledger';
import { SqliteLedger } from '../../../lib/ledger/sqlite';
import { beginRun, handedOver } from '../../../n8n/beginRun';
import { waitFor } from '../../support/wait';

const RETENTION_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'asset-service-begin-'));
const ledger = () => openLedger({ log: () => undefined });
const keyOf = ({ id }: { id: string }) => ledgerKey('workflow', id);
const event = () => ({ id: randomUUID(), type: 'ocpp.message' });

beforeEach(() => {
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
});
afterEach(async () => {
	jest.restoreAllMocks();
	await (await ledger()).close();
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

const begin = async (items: INodeExecutionData[], mode: WorkflowExecuteMode = 'webhook') => {
	const lines: string[] = [];
	const log = (line: string) => lines.push(line);
	const context = {
		getInputData: () => items,
		getMode: () => mode,
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ name: 'Events', type: 'package.assetServiceTrigger' }),
		getExecutionId: () => randomUUID(),
		getExecutionCancelSignal: () => undefined,
		logger: { info: log, warn: log },
	};
	const begun = await beginRun(context as unknown as IExecuteFunctions, RETENTION_MS);
	const prefix = 'Asset Service Trigger "Events" in workflow workflow: ';
	return { begun, lines: lines.filter((line) => line.startsWith(prefix)) };
};

async function claimed(record: { id: string }) {
	const answer = await (await ledger()).claim(keyOf(record), RETENTION_MS);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	return answer.claim;
}

describe('an event that must succeed', () => {
	it('begins under its claim, whose token no workflow sees', async () => {
		const [record, other] = [event(), event()];
		const claim = await claimed(record);
		const items = handedOver([{ record, claim: claim.token }, { record: other }]);
		const { begun } = await begin(items);
		expect(begun).toStrictEqual([{ json: record }, { json: other }]);
		expect(await (await ledger()).finishAll([claim], RETENTION_MS)).toEqual([true]);
	});

	it('does not begin under another claim, unless a person retries its execution', async () => {
		const record = event();
		await claimed(record);
		const items = handedOver([{ record, claim: 'another token' }]);
		expect((await begin(items)).begun).toEqual([]);
		expect((await begin(items, 'retry')).begun).toStrictEqual([{ json: record }]);
	});
});

it('an item carries a token only if its event must succeed', () => {
	const record = event();
	expect(handedOver([{ record }])).toStrictEqual([{ json: record }]);
});

it('the log says how many events are skipped, and nothing if none is', async () => {
	const [seen, fresh] = [event(), event()];
	const first = await begin(handedOver([{ record: seen }]));
	expect(first.lines).toEqual([]);
	const { lines } = await begin(handedOver([{ record: seen }, { record: fresh }]));
	expect(lines).toEqual([
		expect.stringContaining('1 of 2 events skipped: another execution has already started them'),
	]);
});

it('an error other than that of an unavailable ledger ends the execution at once', async () => {
	jest.spyOn(SqliteLedger.prototype, 'begin').mockRejectedValue(new Error('unforeseen'));
	await expect(begin(handedOver([{ record: event() }]))).rejects.toThrow('unforeseen');
});

it('a retry continues without the ledger, and the log says so', async () => {
	const record = event();
	const items = handedOver([{ record, claim: 'token' }]);
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = folder;
	const { begun, lines } = await begin(items, 'retry');
	expect(begun).toStrictEqual([{ json: record }]);
	expect(lines).toEqual([
		expect.stringMatching(
			/the retry continues without the event ledger .*: .*asset-service-begin-/,
		),
	]);
	await (await ledger()).close();
	process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = join(folder, 'ledger.sqlite');
	// The ledger has the mark of the retry once it is back.
	await waitFor(async () => (await (await ledger()).look(keyOf(record))).state === 'begun', {
		what: 'the mark of the retry',
	});
});
