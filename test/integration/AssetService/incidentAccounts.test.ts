/** Reconcile and Replay of a workflow with a Station Trigger. */
import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { asText } from '../../../lib/shared/values';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { createPollNode, type PollNodeOptions } from '../../support/pollNode';
import { runNode } from '../../support/runNode';
import { useSimulatedService } from '../../support/simulatedService';
import { waitFor } from '../../support/wait';

const MINUTE_MS = 60_000;
const service = useSimulatedService();

const emit = async (minutesAgo: number, status: string, id: string) => {
	const createdAt = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
	const data = { asset: { id }, status, timestamp: createdAt };
	await service.simulator.emit({ type: 'asset.connectivity', createdAt, data }, { deliver: false });
};
/** A message of OCPP 1.6. */
const send = async (minutesAgo: number, action: string, payload: Record<string, unknown>) => {
	const createdAt = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
	const message = { messageType: 'CALL', messageId: randomUUID(), action };
	const data = { asset: { id: 's1' }, ...message, payload: { ...payload, timestamp: createdAt } };
	await service.simulator.emit({ type: 'ocpp.message', createdAt, data }, { deliver: false });
};
const published = async (next?: PollNodeOptions['next'], triggerOn = 'stationOffline') => {
	const workflowId = randomUUID();
	const node = createPollNode({
		...{ trigger: new AssetServiceStationTrigger(), workflowId, credential: service.credential() },
		parameters: {
			...{ triggerOn, forMinutes: 0, resolveAfterMinutes: 0 },
			options: { accountAccess: 'anyWorkflow' },
		},
		...(next && { next }),
	});
	// Later events are created after the publication.
	await emit(40, 'DISCONNECTED', 'before');
	await emit(30, 'CONNECTED', 'known');
	const poll = node.activation('activate');
	await poll();
	const pollUntil = async (executions: number) => {
		await waitFor(
			async () => {
				await poll();
				return node.runs.length >= executions;
			},
			{ what: `${executions} executions` },
		);
	};
	return { workflowId, node, poll, pollUntil };
};
const run = async (parameters: INodeParameters) => {
	const { items, error, hints } = await runNode({
		node: new AssetService(),
		credentials: [{ type: new AssetServiceApi(), data: service.credential() }],
		parameters: { resource: 'event', ...parameters },
	});
	if (error) throw new Error(error.message);
	return { items: items.map(({ json }) => json), hints: hints.map(({ message }) => message) };
};
const shortOf = (items: readonly Record<string, unknown>[]) =>
	items.map(({ station, reports, state }) => [station, reports, state].map(asText).join(' '));

it('lists the incidents of a Station Trigger with their states, what people read first', async () => {
	const { workflowId, pollUntil } = await published();
	await emit(20, 'DISCONNECTED', 's1');
	await pollUntil(1);
	await emit(10, 'CONNECTED', 's1');
	await pollUntil(2);
	await emit(5, 'DISCONNECTED', 's2');
	const done = { operation: 'reconcile', workflowId, states: ['done'] };
	await waitFor(async () => (await run(done)).items.length === 2, { what: 'both ends' });
	const { items } = await run({ operation: 'reconcile', workflowId });
	expect(shortOf(items)).toEqual(['s1 opened done', 's1 resolved done', 's2 opened missing']);
	expect(Object.keys(items[0] ?? {}).slice(0, 5)).toEqual([
		...['station', 'connector', 'since', 'kind', 'state'],
	]);
	expect(items[0]).toMatchObject({
		...{ kind: 'stationOffline', connector: null, attempts: 1, assetId: 's1' },
		...{
			id: `${asText(items[0]?.['incident'])}.opened`,
			executionId: expect.any(String) as string,
		},
	});
	const missing = await run({ operation: 'reconcile', workflowId, states: ['missing'] });
	expect(shortOf(missing.items)).toEqual(['s2 opened missing']);
	const none = await run({ operation: 'reconcile', workflowId, states: ['failed'] });
	expect(none.items).toEqual([]);
	expect(none.hints).toEqual([expect.stringContaining('no such incident')]);
});

it('starts a failed incident again at the next poll, marked and once, and nothing else', async () => {
	let isBroken = true;
	const { workflowId, node, poll, pollUntil } = await published(async () => {
		if (isBroken) throw new Error('The mail server is down');
		return [];
	});
	await emit(21, 'DISCONNECTED', 's1');
	await emit(20, 'DISCONNECTED', 's2');
	await pollUntil(1);
	const failed = { operation: 'reconcile', workflowId, states: ['failed'] };
	await waitFor(async () => (await run(failed)).items.length === 2, { what: 'failed incidents' });
	isBroken = false;
	const [first] = (await run(failed)).items;
	const replay = { operation: 'replay', workflowId, eventIds: asText(first?.['id']) };
	const dry = await run(replay);
	expect(dry.items).toMatchObject([{ station: 's1', replayed: false, reason: 'dry run' }]);
	expect(dry.hints).toContainEqual(expect.stringContaining('Dry run: 1 incident would'));
	const before = node.runs.length;
	await poll();
	expect(node.runs).toHaveLength(before);

	const replayed = await run({ ...replay, dryRun: false });
	expect(replayed.items).toMatchObject([{ state: 'failed', replayed: true, reason: null }]);
	await pollUntil(before + 1);
	for (let polls = 0; polls < 3; polls++) await poll();
	expect(node.runs.slice(before)).toMatchObject([
		[
			{
				...{ id: first?.['id'], state: 'opened', station: { name: 's1' } },
				_replay: { requestedAt: expect.any(String) as string },
			},
		],
	]);
	const after = await run({ operation: 'reconcile', workflowId });
	expect(shortOf(after.items).sort()).toEqual(['s1 opened done', 's2 opened failed']);
});

it('starts a failed session again, as it was', async () => {
	let isBroken = true;
	const { workflowId, node, pollUntil } = await published(async () => {
		if (isBroken) throw new Error('The mail server is down');
		return [];
	}, 'sessionEnded');
	await send(20, 'StartTransaction', { connectorId: 1, idTag: 'TAG', meterStart: 1_000 });
	await send(10, 'StopTransaction', { transactionId: 7, meterStop: 6_000 });
	await pollUntil(1);
	const failed = { operation: 'reconcile', workflowId, states: ['failed'] };
	await waitFor(async () => (await run(failed)).items.length === 1, { what: 'the failed session' });
	const [session] = (await run(failed)).items;
	expect(session).toMatchObject({ station: 's1', connector: '1', kind: 'sessionEnded' });
	expect(session).toMatchObject({ reports: 'ended', incident: session?.['id'] });
	isBroken = false;
	await run({ operation: 'replay', workflowId, eventIds: asText(session?.['id']), dryRun: false });
	await pollUntil(node.runs.length + 1);
	const [[before] = [], [after] = []] = [node.runs.at(0), node.runs.at(-1)];
	expect(after).toEqual({ ...before, _replay: { requestedAt: expect.any(String) as string } });
	expect(after).toMatchObject({ energyKwh: 5, minutes: 10 });
	expect(after).not.toHaveProperty('state');
});
