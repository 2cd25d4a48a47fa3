/** Replay of the action node, and the poll trigger that starts what it reopened. */
import type { INodeParameters } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { readPublication } from '../../../lib/accounts';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { runNode } from '../../support/runNode';
import { credential, ledger, pollUntil, published, record, start, useWorldOfItsOwn } from './polls';

useWorldOfItsOwn();

const OPEN: INodeParameters = { options: { accountAccess: 'anyWorkflow' } };

const run = async (parameters: INodeParameters) => {
	const { items, error } = await runNode({
		node: new AssetService(),
		credentials: [{ type: new AssetServiceApi(), data: credential() }],
		parameters: { resource: 'event', ...parameters },
	});
	if (error) throw new Error(error.message);
	return items.map(({ json }) => json);
};

it('starts the replayed events once more, marked, and no others', async () => {
	await start();
	const { node, poll } = await published({ parameters: OPEN });
	const { workflowId } = node;
	const ids = await record(120);
	await pollUntil(poll, 'the events to start', () => node.started.length === ids.length);
	const [one = '', other = ''] = [ids[3], ids[90]];
	const replay = { operation: 'replay', workflowId, dryRun: false };
	const replayed = await run({ ...replay, eventIds: `${one}\n${other} whevt_none` });
	expect(replayed.map(({ id, replayed: is, reason }) => [id, is, reason]).sort()).toEqual(
		[
			[one, true, null],
			[other, true, null],
			['whevt_none', false, 'not listed'],
		].sort(),
	);
	const again = () => node.started.slice(ids.length);
	await pollUntil(poll, 'the replayed events to start', () => again().length === 2);
	for (let polls = 0; polls < 3; polls++) await poll();
	expect(again()).toMatchObject(
		[one, other].map((id) => ({ id, _replay: { requestedAt: expect.any(String) as string } })),
	);
	const states = await run({ operation: 'reconcile', workflowId });
	expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['done']));
});

it('records what it wants and who has access, as its parameters are now', async () => {
	await start();
	const eventTypes = ['ocpp.*'];
	const { node } = await published({ parameters: { ...OPEN, eventTypes } });
	const { workflowId } = node;
	const of = async () =>
		Object.values((await readPublication(await ledger(), workflowId))?.triggers ?? {}).map(
			({ settings }) => settings,
		);
	expect(await of()).toMatchObject([{ kind: 'poll', access: 'anyWorkflow', eventTypes }]);
	const [id = ''] = await record(1, 'asset.created');
	const replay = { operation: 'replay', workflowId, dryRun: false, eventIds: id };
	expect(await run(replay)).toMatchObject([
		{ id, replayed: false, reason: 'not wanted by the trigger' },
	]);
	await published({ workflowId, parameters: {} });
	expect(await of()).toMatchObject([{ access: 'thisWorkflow', eventTypes: [] }]);
	await expect(run(replay)).rejects.toThrow('does not give this workflow access');
});
