/** Runs the action node against the test's own service. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import type { Answer, Handler, SeenRequest } from '../../support/httpService';
import { runNode, type NodeResult, type NodeRunOptions } from '../../support/runNode';
import { SECRET, startWorld, type World, type WorldOptions } from '../../unit/service/world';

export const ASSETS = '/asset-management/v1/assets';
export const ENDPOINTS = '/webhooks/v1/webhook-endpoints';
export const DELIVERIES = `${ENDPOINTS}/we_1/deliveries`;

export const assets = Array.from({ length: 230 }, (_, index) => ({
	id: `as_${index}`,
	type: 'charging-station',
	chargingStation: { serialNumber: null, connectors: [{ id: 1 }] },
}));

/** Serves these records page by page, as the service does. */
export function pages(records: readonly { id: string }[], { query }: SeenRequest): Answer {
	const start = records.findIndex(({ id }) => id === query['startingAfter']) + 1;
	const end = start + Number(query['limit'] ?? 20);
	return { body: { data: { items: records.slice(start, end), hasMore: end < records.length } } };
}

/** Matches a text that contains this one. */
export const containing = (text: string) => expect.stringContaining(text) as string;

export const serving = (api: Handler, options: WorldOptions = {}) =>
	startWorld({ api, ...options });
export const assetWorld = (options: WorldOptions = {}) =>
	serving((request) => pages(assets, request), options);

export function optionsFor(
	world: World,
	parameters: INodeParameters,
	more: Partial<NodeRunOptions> = {},
): NodeRunOptions {
	return {
		node: new AssetService(),
		credentials: [{ type: new AssetServiceApi(), data: { ...world.settings } }],
		parameters,
		...more,
	};
}

/** Records as the service sent them. */
export const list = { resource: 'asset', operation: 'getAll', simplify: false };
export const run = (
	world: World,
	parameters: INodeParameters,
	more: Partial<NodeRunOptions> = {},
) => runNode(optionsFor(world, parameters, more));

/** Lists the deliveries of the endpoint that each input item names. */
export const perItem = {
	resource: 'delivery',
	operation: 'getAll',
	endpointId: { __rl: true, mode: 'id', value: '={{ $json.endpoint }}' },
};
/** A service with every endpoint except `we_bad`. */
export const picky = (...deliveries: string[]) =>
	serving(({ path }) =>
		path.includes('we_bad')
			? { status: 404, body: { message: 'unknown endpoint' } }
			: { body: { data: deliveries.map((id) => ({ id })) } },
	);

/** The records of a run; fails if the run failed. */
export async function records(result: Promise<NodeResult>): Promise<IDataObject[]> {
	const { items, error } = await result;
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
}

/** The error of a run that must fail; checks that the data that n8n would store contains no secret. */
export async function failure(result: Promise<NodeResult>) {
	const { error, run: stored } = await result;
	if (!error) throw new Error('the node was expected to fail');
	// The credential itself is not part of an execution, so the secret must be nowhere.
	for (const text of [JSON.stringify(stored), JSON.stringify(error), error.message]) {
		expect(text).not.toContain(SECRET);
		expect(text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
		expect(text).not.toMatch(/token-\d|client-\d/);
	}
	return error;
}
