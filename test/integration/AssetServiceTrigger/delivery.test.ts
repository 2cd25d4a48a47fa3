import { signTimestamped } from '../../../lib/signature';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { runTrigger } from '../../support/triggerRun';
import { eventOf, now, PREVIOUS, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

describe('a delivery', () => {
	it('starts the workflow with the event as delivered', async () => {
		const server = await start();
		const event = eventOf({ extra: [1, { two: null }] });
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'accepted' } });
		expect(server.started).toEqual([event]);
	});

	it('is answered 200 duplicate when the event was seen before', async () => {
		const server = await start();
		const event = eventOf();
		await send(server, event);
		expect(await send(server, event)).toMatchObject({ status: 200, body: { status: 'duplicate' } });
		expect(server.started).toHaveLength(1);
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

	it('is signed by the previous secret during a rotation, and still one event', async () => {
		const server = await start();
		const body = JSON.stringify(eventOf());
		const signed = { 'x-webhook-signature': signTimestamped(PREVIOUS, now(), body) };
		expect(await send(server, body, signed)).toMatchObject({ body: { status: 'accepted' } });
		expect(await send(server, body)).toMatchObject({ body: { status: 'duplicate' } });
	});
});

describe('the test mode of the editor', () => {
	it('checks signatures and keeps nothing in the ledger', async () => {
		const server = await start({ mode: 'manual' });
		const event = eventOf();
		await send(server, event);
		await send(server, event);
		expect(server.started).toEqual([event, event]);
	});

	it.each<[string, Record<string, string>, number, RegExp, RegExp]>([
		['forged', { 'x-webhook-signature': 'forged' }, 401, /was refused/, /signature_malformed/],
		['not wanted', {}, 200, /was ignored/, /condition “data\.asset\.id equals asset-2”/],
	])(
		'shows why a delivery that is %s would not start the workflow',
		async (_name, headers, status, message, description) => {
			const condition = [{ field: 'data.asset.id', operator: 'equals', value: 'asset-2' }];
			const parameters = { conditions: { condition } };
			const server = await start({ mode: 'manual', parameters });
			expect(await send(server, eventOf(), headers)).toMatchObject({ status });
			const trigger = new AssetServiceTrigger();
			const run = { trigger, executionId: '1', workflowId: 'workflow', items: server.started };
			expect(await runTrigger({ ...run, mode: 'manual' })).toMatchObject({
				items: [],
				error: {
					message: expect.stringMatching(message) as string,
					description: expect.stringMatching(description) as string,
				},
			});
			// In production nothing starts, and the item of a test means nothing.
			const published = await start({ parameters });
			await send(published, eventOf(), headers);
			expect(published.started).toEqual([]);
			expect((await runTrigger({ ...run, mode: 'webhook' })).error).toBeUndefined();
		},
	);
});
