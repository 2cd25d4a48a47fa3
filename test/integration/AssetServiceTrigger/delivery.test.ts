import { HookContext } from 'n8n-core';
import type { IHookFunctions, IWebhookData } from 'n8n-workflow';
import { REASONS } from '../../../lib/receiver';
import { sentence } from '../../../lib/shared/text';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { oneNodeWorkflow } from '../../support/engine';
import { runTrigger } from '../../support/triggerRun';
import type { TriggerServer } from '../../support/triggerServer';
import { eventOf, now, SECRET, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

describe('a delivery', () => {
	it('starts the workflow with the event as delivered', async () => {
		const server = await start();
		const event = eventOf({ extra: [1, { two: null }] });
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'accepted' } });
		expect(server.started).toEqual([event]);
	});

	it('starts the workflow once when ten copies arrive at the same instant', async () => {
		const server = await start();
		const event = eventOf();
		const sent = await Promise.all(
			Array.from({ length: 10 }, async () => await send(server, event)),
		);
		expect(sent.map(({ status }) => status)).toEqual(Array(10).fill(200));
		expect(server.started).toEqual([event]);
	});
});

describe('the test mode of the editor', () => {
	it('checks signatures but stores nothing in the ledger', async () => {
		const server = await start({ mode: 'manual' });
		const event = eventOf();
		await send(server, event);
		await send(server, event);
		expect(server.started).toEqual([event, event]);
	});

	const condition = [{ field: 'data.asset.id', operator: 'equals', value: 'asset-2' }];
	const parameters = { conditions: { condition } };
	const asset = (id: string) => eventOf({ data: { asset: { id } } });
	/** The notice of a test that ends with these items. */
	const outcome = async ({ tested }: TriggerServer, mode: 'manual' | 'webhook' = 'manual') =>
		await runTrigger({
			...{ trigger: new AssetServiceTrigger(), executionId: '1', workflowId: 'workflow' },
			...{ mode, items: tested },
		});

	it('continues after ignored events, and then shows how many and the nearest miss', async () => {
		const server = await start({ mode: 'manual', parameters });
		const ignored = { status: 200, body: { status: 'ignored' } };
		expect(await send(server, eventOf({ data: {} }))).toMatchObject(ignored);
		const reason =
			"2 events were ignored while listening. Nearest: condition 'Asset ID equals asset-2' did not match 'asset-1'.";
		expect(await send(server, asset('asset-1'))).toMatchObject({ body: { status: 'ignored' } });
		expect(server.tested).toEqual([]);
		const wanted = asset('asset-2');
		expect(await send(server, wanted)).toMatchObject({ body: { status: 'accepted' } });
		expect(server.started).toEqual([wanted]);
		const { items, stored, hints } = await outcome(server);
		expect(items).toEqual([wanted]);
		expect(Object.keys(stored[0] ?? {})).not.toContain('assetServiceIgnored');
		expect(hints).toEqual([{ message: reason, type: 'info', location: 'outputPane' }]);
		// The next test starts counting at zero.
		await send(server, wanted);
		expect((await outcome({ ...server, tested: server.tested.slice(1) })).hints).toEqual([]);
	});

	it('ends with the fifth ignored event, which says which condition failed and which value came', async () => {
		const server = await start({ mode: 'manual', parameters });
		for (let n = 0; n < 5; n++) {
			expect(await send(server, asset('asset-1'))).toMatchObject({ status: 200 });
		}
		expect(await outcome(server)).toMatchObject({
			items: [],
			error: {
				message:
					"No event matched the trigger: condition 'Asset ID equals asset-2' did not match 'asset-1'",
				description: expect.stringMatching(/listen again.* 5 events were ignored/) as string,
			},
		});
		await send(server, asset('asset-1'));
		expect(server.tested).toHaveLength(1);
	});

	it('counts from when the user began to listen, and reports its result to the sender', async () => {
		const workflowId = 'workflow of tests';
		const server = await start({ mode: 'manual', parameters, workflowId });
		await send(server, asset('asset-1'));
		const { node, workflow, additionalData } = oneNodeWorkflow({
			...{ nodeType: new AssetServiceTrigger(), typeVersion: 2, parameters, workflowId },
			...{ credentialTypes: ['assetServiceSigningSecretApi'] },
			readCredential: async () => ({ signingSecret: SECRET }),
		});
		const webhookData = { isTest: true } as IWebhookData;
		const hook = new HookContext(workflow, node, additionalData, 'manual', 'manual', webhookData);
		const methods = new AssetServiceTrigger().webhookMethods.default;
		await methods.checkExists.call(hook as unknown as IHookFunctions);
		expect(await send(server, eventOf({ type: 'asset.moved', data: {} }))).toMatchObject({
			body: {
				status: 'ignored',
				reason:
					"1 event was ignored while listening. Nearest: condition 'Asset ID equals asset-2' found no value. The event has no field 'data.asset.id'.",
			},
		});
	});

	it('shows why it ends with a rejected delivery, and what was ignored before', async () => {
		const server = await start({ mode: 'manual', parameters });
		await send(server, asset('asset-1'));
		const forged = { 'x-webhook-signature': signTimestamped(`${SECRET} `, now(), 'x') };
		expect(await send(server, asset('asset-2'), forged)).toMatchObject({
			status: 401,
			body: { status: 'rejected' },
		});
		expect(await outcome(server)).toMatchObject({
			items: [],
			error: {
				message: 'Delivery rejected: its signature does not match',
				description: `${sentence(REASONS.signature_mismatch.advice)} (Log code: signature_mismatch) 1 event was ignored while listening. Nearest: condition 'Asset ID equals asset-2' did not match 'asset-1'.`,
			},
		});
		// In production, the item of a test has no meaning.
		expect((await outcome(server, 'webhook')).error).toBeUndefined();
	});

	it('has no effect in production: nothing starts, and the sender gets no details', async () => {
		const published = await start({ parameters });
		expect((await send(published, asset('asset-1'))).body).toEqual({ status: 'ignored' });
		expect((await send(published, asset('asset-2'), { 'x-webhook-signature': '' })).body).toEqual({
			status: 'rejected',
		});
		expect([published.started, published.tested]).toEqual([[], []]);
	});
});
