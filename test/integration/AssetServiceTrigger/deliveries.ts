/** A trigger that receives deliveries in n8n-core's own engine, for tests of their results. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openLedger } from '../../../lib/ledger';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import {
	startTriggerServer,
	type TriggerServer,
	type TriggerServerOptions,
} from '../../support/triggerServer';

export const SECRET = 'whsec-current-0123456789';
export const PREVIOUS = 'whsec-previous-0123456789';

const folder = mkdtempSync(join(tmpdir(), 'asset-service-trigger-'));
export const ledgerPath = join(folder, 'ledger.sqlite');
const servers: TriggerServer[] = [];
let next = 0;

export const now = () => Math.floor(Date.now() / 1000);
export const eventOf = (fields: Record<string, unknown> = {}) => ({
	id: `whevt_${(next += 1)}`,
	type: 'ocpp.message',
	createdAt: '2026-01-01T00:00:00.000Z',
	data: { asset: { id: 'asset-1' } },
	...fields,
});

export async function start(options: Partial<TriggerServerOptions> = {}): Promise<TriggerServer> {
	const server = await startTriggerServer({
		trigger: new AssetServiceTrigger(),
		readCredential: async () => ({ signingSecret: SECRET, previousSigningSecret: PREVIOUS }),
		credentialTypes: ['assetServiceSigningSecretApi'],
		// Its own workflow, so that no test sees the entries of another.
		workflowId: `workflow-${(next += 1)}`,
		...options,
	});
	servers.push(server);
	return server;
}

interface Sent {
	status: number;
	body: unknown;
	headers: Headers;
}

/** A header with several values is sent once per value; without values it is left out. */
export async function send(
	server: TriggerServer,
	body: unknown,
	headers: Record<string, string | string[]> = {},
): Promise<Sent> {
	const bytes = typeof body === 'string' ? body : JSON.stringify(body);
	const all = {
		'content-type': 'application/json',
		'x-webhook-delivery-id': 'del_1',
		'x-webhook-signature': signTimestamped(SECRET, now(), bytes),
		...headers,
	};
	// Not with fetch, which combines repeated headers into one.
	const sending = request(server.url, { method: 'POST', headers: all });
	sending.end(bytes);
	const [response] = (await once(sending, 'response')) as [IncomingMessage];
	const answer = await text(response);
	return {
		status: response.statusCode ?? 0,
		body: answer === '' ? undefined : JSON.parse(answer),
		headers: new Headers(response.headers as Record<string, string>),
	};
}

/** Call it once per test file. */
export function useLedgerOfItsOwn(): void {
	beforeAll(() => {
		process.env['ASSET_SERVICE_LEDGER_SQLITE_PATH'] = ledgerPath;
	});

	afterEach(async () => {
		for (const server of servers.splice(0)) {
			await server.stop();
			expect(server.thrown).toEqual([]);
		}
	});

	afterAll(async () => {
		await (await openLedger({ log: () => undefined })).close();
		rmSync(folder, { recursive: true, force: true });
	});
}
