/** A poll trigger with its own simulator, for tests of the events that a poll starts. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../../lib/ledger';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../../simulator';
import { createPollNode, type PollNodeOptions } from '../../support/pollNode';
import { waitFor } from '../../support/wait';

export const EVENTS = '/webhooks/v1/webhook-events';
const folder = mkdtempSync(join(tmpdir(), 'asset-service-poll-'));
export const ledgerPath = join(folder, 'ledger.sqlite');
export const ledger = () => openLedger({ log: () => undefined });
let simulator: Simulator;

export const start = async (options: SimulatorOptions = {}) => {
	simulator = await startSimulator(options);
	return simulator;
};
export const credential = () => {
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	return { baseUrl, authUrl, audience, clientId, clientSecret };
};
export const pollNode = (options: Partial<PollNodeOptions> = {}) => {
	const workflowId = randomUUID();
	const node = createPollNode({
		trigger: new AssetServicePollTrigger(),
		credential: credential(),
		workflowId,
		...options,
	});
	return { ...node, workflowId, ids: () => node.started.map(({ id }) => id) };
};
/** A poll trigger whose workflow has been published, so it has polled once. */
export const published = async (options: Partial<PollNodeOptions> = {}) => {
	const node = pollNode(options);
	const poll = node.activation('activate');
	await poll();
	return { node, poll };
};
export const record = async (count: number, type = 'ocpp.message') => {
	const ids: string[] = [];
	for (let n = 0; n < count; n += 1) {
		ids.push((await simulator.emit({ type }, { deliver: false })).event.id);
	}
	return ids;
};
export const until = async (what: string, isSo: () => boolean) => {
	await waitFor(isSo, { what, everyMs: 5 });
};
/** Polls repeatedly, since a poll leaves events to the previous one while that is starting them. */
export const pollUntil = async (
	poll: () => Promise<unknown>,
	what: string,
	isSo: () => boolean,
) => {
	await waitFor(
		async () => {
			await poll();
			return isSo();
		},
		{ what, everyMs: 20 },
	);
};

/** Call it once per test file. */
export function useWorldOfItsOwn(): void {
	beforeAll(() => {
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
	});
	afterEach(async () => {
		await simulator.stop();
	});
	afterAll(async () => {
		await (await ledger()).close();
		rmSync(folder, { recursive: true, force: true });
	});
}
