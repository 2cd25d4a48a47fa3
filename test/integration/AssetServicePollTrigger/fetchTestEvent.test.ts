import type { INodeParameters } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { runNode } from '../../support/runNode';
import { credential, published, start, useWorldOfItsOwn } from './polls';

useWorldOfItsOwn();

describe('"Fetch Test Event"', () => {
	const fetchFrom = async (events: number, parameters: INodeParameters) => {
		const simulator = await start();
		for (let n = 0; n < events; n++) {
			const createdAt = new Date(Date.now() - (events - n) * 60_000).toISOString();
			await simulator.emit({ createdAt, data: { payload: { number: n } } }, { deliver: false });
		}
		return await runNode({
			node: new AssetServicePollTrigger(),
			credentials: [{ type: new AssetServiceApi(), data: credential() }],
			parameters,
		});
	};

	it('reads up to the first page with an event that meets the conditions', async () => {
		const condition = [{ field: 'data.payload.number', operator: 'lessThan', value: '30' }];
		const { items, error } = await fetchFrom(120, { conditions: { condition } });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject([{ data: { payload: { number: 29 } } }]);
	});

	it('says which settings are not applied as entered, as polls do in the log', async () => {
		const parameters = { delivery: 'batched', limit: 500, options: { batchSize: 0 } };
		const { hints } = await fetchFrom(1, parameters);
		const { node } = await published({ parameters });
		for (const [label, value] of [
			['Batch Size', 0],
			['Page Size', 500],
		] as const) {
			const text = RegExp(`'${label}' must be a number from 1 to \\d+, but is ${value}`);
			expect(hints.map(({ message }) => message)).toContainEqual(expect.stringMatching(text));
			expect(node.warnings).toEqual([expect.stringMatching(text)]);
		}
	});

	it('says that there is nothing to fetch where the service lists no events', async () => {
		const { items, hints } = await fetchFrom(0, {});
		expect(items).toEqual([]);
		expect(hints).toMatchObject([
			{ message: expect.stringContaining('lists no events') as string },
		]);
	});
});
