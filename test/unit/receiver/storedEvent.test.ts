/** A delivery of an event whose execution n8n has stored and not begun. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerKey } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { hostClock, SqliteStore } from '../../../lib/ledger/sqlite/store';
import { receive, readTriggerSettings } from '../../../lib/receiver/receive';
import { createVerifierCache } from '../../../lib/receiver/verify';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';

const SECRET = 'the signing secret';
const RETENTION_MS = 60_000;
const BEGINNING = { run: 'execution:1:a', retentionMs: RETENTION_MS };

const folder = mkdtempSync(join(tmpdir(), 'asset-service-stored-'));
const store = new SqliteStore({ path: join(folder, 'ledger.sqlite'), clock: hostClock() });
const ledger = new EventLedger({ store });
afterAll(async () => {
	await ledger.close();
	rmSync(folder, { recursive: true });
});

async function answerTo(id: string, acknowledge: 'stored' | 'succeeded') {
	const body = Buffer.from(JSON.stringify({ id, type: 'ocpp.message' }));
	const seconds = Math.floor(Date.now() / 1_000);
	const headers = { 'x-webhook-signature': signTimestamped(SECRET, seconds, body) };
	const verdict = await receive(
		{ headers, body },
		{
			verifiers: createVerifierCache(),
			secrets: {
				key: 'key',
				read: async () => ({ settings: { signingSecret: SECRET } }),
				refusalOf: () => ({ ok: false, reason: 'not_configured' }),
			},
			openLedger: async () => ledger,
			workflowId: 'workflow',
			isEarly: acknowledge === 'stored',
			settings: readTriggerSettings((name, fallback) =>
				name === 'acknowledge' ? acknowledge : fallback,
			),
		},
	);
	return verdict.start ? verdict : verdict.response;
}

async function stored(id: string): Promise<string> {
	const key = ledgerKey('workflow', id);
	const answer = await ledger.claim(key);
	if (answer.state !== 'claimed') throw new Error('The event is not new.');
	await ledger.commit([answer.claim], RETENTION_MS);
	return key;
}

it('is a duplicate with "Do Not Start Again"', async () => {
	await stored('whevt_1');
	expect(await answerTo('whevt_1', 'stored')).toMatchObject({ status: 200 });
});

it('is not acknowledged with "Start Again" until its execution has succeeded', async () => {
	const key = await stored('whevt_2');
	expect(await answerTo('whevt_2', 'succeeded')).toMatchObject({
		status: 503,
		headers: { 'Retry-After': '60' },
	});
	await ledger.begin([key], { ...BEGINNING, acknowledge: 'succeeded' });
	await ledger.end(BEGINNING.run, 'succeeded');
	expect(await answerTo('whevt_2', 'succeeded')).toMatchObject({ status: 200 });
});
