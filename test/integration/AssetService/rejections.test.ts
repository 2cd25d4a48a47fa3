/** The output of Get Rejections for deliveries that a trigger received. */
import type { INodeParameters } from 'n8n-workflow';
import type { PublishedSettings } from '../../../lib/accounts';
import { LedgerUnavailableError, openLedger } from '../../../lib/ledger';
import { REASONS } from '../../../lib/receiver';
import { asText } from '../../../lib/shared/values';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
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

const SINCE = Date.now();
let next = 0;

/** Without a credential: the service gets no request. */
const getRejections = (parameters: INodeParameters) =>
	runNode({
		node: new AssetService(),
		parameters: { resource: 'event', operation: 'getRejections', ...parameters },
	});
const rejectionsOf = async (parameters: INodeParameters) =>
	(await getRejections(parameters)).items.map(({ json }) => json);
/** By default, any workflow may read its rejections. */
const newWorkflow = async (access: PublishedSettings['access'] = 'anyWorkflow') => {
	const workflowId = `rejections-${(next += 1)}`;
	await publish(workflowId, { access });
	return workflowId;
};

it('counts deliveries by reason, with times and advice, but none of their content', async () => {
	const workflowId = await newWorkflow();
	const server = await start({ workflowId, parameters: { eventTypes: ['ocpp.*'] } });
	const body = JSON.stringify(eventOf({ data: { customer: 'Olive' } }));
	const signed = (signature: string | string[]) =>
		send(server, body, { 'x-webhook-signature': signature });
	for (let n = 0; n < 3; n++) await signed(signTimestamped('another secret', now(), body));
	await signed([]);
	await signed(signTimestamped(SECRET, now() - 900, body));
	for (let n = 0; n < 2; n++) await send(server, eventOf({ type: 'asset.created' }));
	await send(server, 'no event');
	await send(server, body);
	await send(server, body);
	expect(server.started).toHaveLength(1);

	const found = await rejectionsOf({ workflowId });
	expect(Object.fromEntries(found.map(({ reason, count }) => [reason, count]))).toEqual({
		event_invalid: 1,
		ignored: 2,
		signature_mismatch: 3,
		signature_missing: 1,
		timestamp_outside_tolerance: 1,
	});
	for (const { nodeName, nodeId, firstAt, lastAt, advice } of found) {
		expect([typeof nodeId, nodeName]).toEqual(['string', 'Node']);
		const times = [firstAt, lastAt].map((time) => Date.parse(asText(time)));
		expect(times[0]).toBeGreaterThanOrEqual(SINCE);
		expect(times[1]).toBeGreaterThanOrEqual(times[0] ?? Infinity);
		expect(advice).toMatch(/^[A-Z].*\.$/);
	}
	const ledger = await openLedger({ log: () => undefined });
	for (const text of [JSON.stringify(found), await ledger.readRecord(`rejections:${workflowId}`)]) {
		expect(text).not.toMatch(/Olive|asset\.created|whevt_|whsec|v1=/);
	}
});

it('shows the last example of each reason: when, which delivery and what was wrong, without a value', async () => {
	const workflowId = await newWorkflow();
	const condition = [{ field: 'data.status', operator: 'equals', value: 'Faulted' }];
	const parameters = { eventTypes: ['ocpp.*'], conditions: { condition } };
	const server = await start({ workflowId, parameters });
	const delivery = (id: string) => ({ 'x-webhook-delivery-id': id });
	await send(server, eventOf({ type: 'asset.created' }), delivery('first'));
	const ignored = async () =>
		(await rejectionsOf({ workflowId })).find(({ reason }) => reason === 'ignored');
	expect(await ignored()).toMatchObject({
		...{ lastDeliveryId: 'first', lastProblem: "Its event type is not among 'Trigger On'." },
	});
	await send(server, eventOf({ data: { status: 'Olive' } }), delivery('second'));
	expect(await ignored()).toMatchObject({
		lastDeliveryId: 'second',
		lastProblem: "It does not meet the condition 'Connectivity State equals Faulted'.",
	});
	await send(server, 'x', { ...delivery('x'.repeat(5_000)), 'x-webhook-signature': 'forged' });
	const [forged] = await rejectionsOf({ workflowId });
	expect(forged).toMatchObject({ lastProblem: 'Its signature cannot be read.' });
	expect(asText(forged?.['lastDeliveryId'])).toHaveLength(100);
});

it('gives the advice of the log, and what people read first', async () => {
	const workflowId = await newWorkflow();
	const server = await start({ workflowId });
	await send(server, 'x', { 'x-webhook-signature': 'forged' });
	const [found = {}] = await rejectionsOf({ workflowId });
	const { advice } = REASONS.signature_malformed;
	expect(asText(found['advice']).toLowerCase()).toBe(`${advice.toLowerCase()}.`);
	expect(Object.keys(found).slice(0, 3)).toEqual(['reason', 'count', 'advice']);
});

it.each([
	['parsed', 'multipart/form-data; boundary=x', /^The body is multipart\/form-data, .* JSON\.$/],
	['unreadable', 'application/cloudevents', /^N8n could not read the body: .*\.$/],
] as const)(
	'names a body that was %s as the reason, not the secret',
	async (body, type, problem) => {
		const workflowId = await newWorkflow();
		const server = await start({ workflowId, body });
		expect(await send(server, eventOf(), { 'content-type': type })).toMatchObject({
			...{ status: 401, body: { status: 'rejected' } },
		});
		expect(server.started).toEqual([]);
		expect(await rejectionsOf({ workflowId })).toMatchObject([
			{
				reason: 'event_invalid',
				advice: expect.not.stringMatching(/secret|signed/) as string,
				lastProblem: expect.stringMatching(problem) as string,
			},
		]);
	},
);

it('separates the triggers of a workflow, and reports on its own workflow by default', async () => {
	const workflowId = 'workflow-1';
	const [{ message } = {}] = (await getRejections({})).hints;
	expect(message).toContain("enter it in 'Workflow ID'");
	for (const nodeId of ['a', 'b']) {
		const server = await start({ workflowId, nodeId });
		await send(server, eventOf(), { 'x-webhook-signature': [] });
	}
	expect((await rejectionsOf({})).map(({ nodeId }) => nodeId).sort()).toEqual(['a', 'b']);
});

it('counts nothing while the editor listens for a test event', async () => {
	const workflowId = await newWorkflow();
	const server = await start({ workflowId, mode: 'manual' });
	await send(server, eventOf(), { 'x-webhook-signature': [] });
	expect(await rejectionsOf({ workflowId })).toEqual([]);
});

it('reports that there is nothing to show', async () => {
	const { items, hints } = await getRejections({ workflowId: await newWorkflow() });
	expect(items).toEqual([]);
	expect(hints).toMatchObject([
		{ type: 'info', message: expect.stringContaining('In the last 7 days') as string },
	]);
	expect(hints[0]?.message).not.toContain("enter it in 'Workflow ID'");
});

it('fails with advice if the ledger is not available', async () => {
	const ledger = await openLedger({ log: () => undefined });
	const workflowId = await newWorkflow();
	const unavailable = new LedgerUnavailableError('The disk is full.');
	jest.spyOn(ledger, 'readRecord').mockRejectedValueOnce(unavailable);
	expect((await getRejections({ workflowId })).error).toMatchObject({
		description: expect.stringContaining('The disk is full.') as string,
	});
});

it('shows the rejections of another workflow only if that allows it', async () => {
	const workflowId = await newWorkflow('thisWorkflow');
	const server = await start({ workflowId });
	await send(server, 'x', { 'x-webhook-signature': 'forged' });
	const { items, error } = await getRejections({ workflowId });
	expect(items).toEqual([]);
	expect(error?.message).toBe(
		`The workflow "${workflowId}" does not give this workflow access to its events`,
	);
});
