/** Each rejection has its own cause, in the log and in Get Rejections, and advice that names no other field. */
import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { ledgerKey, newAttempt, openLedger } from '../../../lib/ledger';
import { asRecord, asText } from '../../../lib/shared/values';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { runNode } from '../../support/runNode';
import {
	eventOf,
	now,
	SECRET,
	send,
	start,
	useLedgerOfItsOwn,
} from '../AssetServiceTrigger/deliveries';
import { publish } from './publish';

useLedgerOfItsOwn();

interface Rejected {
	readonly credential?: Readonly<Record<string, string>>;
	readonly parameters?: INodeParameters;
	readonly event?: ReturnType<typeof eventOf>;
	readonly headers?: (body: string) => Record<string, string | string[]>;
	/** The last execution of the event has failed. */
	readonly hasFailed?: boolean;
}

/** One rejected delivery: its line in the log, and its item of Get Rejections. */
async function reject(rejected: Rejected) {
	const { credential = { signingSecret: SECRET }, parameters = {}, event = eventOf() } = rejected;
	const workflowId = randomUUID();
	await publish(workflowId);
	if (rejected.hasFailed === true) {
		const ledger = await openLedger({ log: () => undefined });
		const run = newAttempt('1');
		const keys = [ledgerKey(workflowId, event.id)];
		await ledger.begin(keys, { run, acknowledge: 'succeeded', retentionMs: 60_000 });
		await ledger.end(run, 'failed');
	}
	const lines: string[] = [];
	const trigger = new AssetServiceTrigger();
	const { webhook } = trigger;
	trigger.webhook = async function () {
		jest.spyOn(this.logger, 'warn').mockImplementation((line) => void lines.push(line));
		return await webhook.call(this);
	};
	const readCredential = async () => ({ ...credential });
	const server = await start({ trigger, workflowId, parameters, readCredential });
	const body = JSON.stringify(event);
	await send(server, body, rejected.headers?.(body));
	expect(server.started).toEqual([]);
	const { items } = await runNode({
		node: new AssetService(),
		parameters: { resource: 'event', operation: 'getRejections', workflowId },
	});
	expect(items).toHaveLength(1);
	const json = asRecord(items[0]?.json);
	const [reason, problem, advice] = ['reason', 'lastProblem', 'advice'].map((name) =>
		asText(json[name]),
	);
	return { reason, problem, advice, line: lines.join('\n') };
}

const signedAt = (seconds: number) => (body: string) => ({
	'x-webhook-signature': signTimestamped(SECRET, now() + seconds, body),
});
const SAYS_ITSELF = 'Do what lastProblem says.';
const custom = { signingSecret: SECRET, scheme: 'custom', timestampHeader: 'x-at' };
const condition = (operator: string, value: string) => ({
	conditions: { condition: [{ field: 'data.asset.id', operator, value }] },
});

it.each<[string, Rejected, string, RegExp, RegExp]>([
	[
		'a clock that is slow, or a delivery that was delayed',
		{ headers: signedAt(-412) },
		'timestamp_outside_tolerance',
		/^Its timestamp is 41[23] seconds behind n8n's clock, and at most 300 are allowed\.$/,
		/^Check the clock of the n8n server, and look for a proxy or queue/,
	],
	[
		'a clock that is fast',
		{ headers: signedAt(7_203) },
		'timestamp_outside_tolerance',
		/^Its timestamp is 7,20[23] seconds ahead of n8n's clock/,
		/^Check the clock of the n8n server\. If it is right, that of the service is wrong/,
	],
	[
		'a template without the body',
		{ credential: { ...custom, signedPayload: 'x' } },
		'not_configured',
		/^'Signed Payload' does not contain \{body\}.* Add \{body\}\.$/,
		/^Do what lastProblem says\.$/,
	],
	[
		'no secret in the credential',
		{ credential: { signingSecret: '' } },
		'not_configured',
		/^'Signing Secret' is empty\. Paste/,
		/^Do what lastProblem says\.$/,
	],
	[
		'a secret that was pasted with a space',
		{ credential: { signingSecret: `${SECRET} ` } },
		'signature_mismatch',
		/^'Signing Secret' starts or ends with white space/,
		/^Do what lastProblem says\.$/,
	],
	[
		'a condition that can never match',
		{ parameters: condition('greaterThan', 'abc') },
		'not_configured',
		/^Condition 1: 'abc' is not a number/,
		/^Correct 'Conditions' in the trigger, then publish/,
	],
	[
		'a condition that the event does not meet',
		{ parameters: condition('equals', 'x') },
		'ignored',
		/^It does not meet the condition 'Asset ID equals x'\.$/,
		/otherwise check 'Conditions' in the trigger\.$/,
	],
	[
		'an event type that is not wanted',
		{ parameters: { eventTypes: ['asset.*'] } },
		'ignored',
		/^Its event type is not among 'Trigger On'\.$/,
		/otherwise check 'Trigger On' in the trigger\.$/,
	],
	[
		'an execution that has failed',
		{ parameters: { acknowledge: 'succeeded' }, hasFailed: true },
		'busy',
		/^The last execution of this event did not succeed\.$/,
		/^Look at the failed execution\./,
	],
	[
		'another header, with a scheme that has a fixed one',
		{
			credential: {
				signingSecret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
				scheme: 'standardWebhooks',
			},
		},
		'signature_missing',
		/^It has no signature\.$/,
		/check 'Scheme' in the credential\.$/,
	],
	[
		'another header',
		{ credential: { ...custom, signatureHeader: 'x-other' } },
		'signature_missing',
		/^It has no signature\.$/,
		/check 'Signature Header' in the credential\.$/,
	],
])('%s', async (_name, rejected, reason, problem, advice) => {
	const found = await reject(rejected);
	expect(found).toMatchObject({
		reason,
		problem: expect.stringMatching(problem) as string,
		advice: expect.stringMatching(advice) as string,
	});
	// An ignored delivery leaves no line.
	if (reason === 'ignored') return;
	const shown = found.advice === SAYS_ITSELF ? found.problem : found.advice;
	expect(found.line.toLowerCase()).toContain(shown?.toLowerCase().replace(/\.$/, ''));
	if (/\d/.test(problem.source)) {
		expect(found.line.toLowerCase()).toContain(found.problem?.toLowerCase().replace(/\.$/, ''));
	}
});
