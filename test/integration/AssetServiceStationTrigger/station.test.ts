import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { asText } from '../../../lib/shared/values';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { generateAssets } from '../../../simulator/data/assets';
import { editorContext } from '../../support/engine';
import { createPollNode } from '../../support/pollNode';
import { runNode } from '../../support/runNode';
import { useSimulatedService } from '../../support/simulatedService';
import { waitFor } from '../../support/wait';

const MINUTE_MS = 60_000;

describe('the station trigger', () => {
	const service = useSimulatedService();
	/** Of the last test event. */
	const hints: string[] = [];

	/** The request of the editor when a user opens the list, for which n8n makes a node of its own. */
	const search = async (parameters: INodeParameters, filter?: string) => {
		const nodeType = new AssetServiceStationTrigger();
		const context = editorContext({
			...{ nodeType, path: '/parameters/options.testWith', parameters },
			...{ credentialTypes: ['assetServiceApi'], workflowId: '', nodeId: 'uuid-1234' },
			readCredential: async () => service.credential(),
		});
		return (await nodeType.methods.listSearch.searchIncidents.call(context, filter)).results;
	};
	const emit = async (minutesAgo: number, status: string, id = 'asset_unlisted') => {
		const createdAt = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
		const data = { asset: { id }, status, timestamp: createdAt };
		await service.simulator.emit(
			{ type: 'asset.connectivity', createdAt, data },
			{ deliver: false },
		);
	};
	const fetchWith = async (parameters: INodeParameters) => {
		hints.length = 0;
		const {
			run,
			error,
			hints: shown,
		} = await runNode({
			nodeId: 'node-1',
			node: new AssetServiceStationTrigger(),
			credentials: [{ type: new AssetServiceApi(), data: service.credential() }],
			parameters,
		});
		expect(error).toBeUndefined();
		hints.push(...shown.map(({ message }) => message));
		const outputs = run.data.resultData.runData['Tested']?.[0]?.data?.['main'] ?? [];
		return outputs.map((items) => (items ?? []).map(({ json }) => json));
	};

	it('starts the workflow once for an incident, and once when it resolves', async () => {
		const workflowId = randomUUID();
		const parameters = { triggerOn: 'stationOffline', forMinutes: 0, resolveAfterMinutes: 0 };
		const node = createPollNode({
			trigger: new AssetServiceStationTrigger(),
			...{ credential: service.credential(), workflowId, parameters },
		});
		// Later events are created after the publication.
		await emit(30, 'CONNECTED');
		const poll = node.activation('activate');
		await poll();
		await emit(20, 'DISCONNECTED');
		await poll();
		await waitFor(() => node.runs.length === 1, { what: 'an execution' });
		await emit(10, 'CONNECTED');
		await waitFor(
			async () => {
				await poll();
				return node.runs.length === 2;
			},
			{ what: 'a second execution' },
		);
		await poll();
		const [[opened] = [], [resolved] = []] = node.runs;
		expect(opened).toMatchObject({ kind: 'stationOffline', state: 'opened', until: null });
		expect(resolved).toMatchObject({ incident: opened?.['incident'], state: 'resolved' });
		expect(resolved).toMatchObject({ minutes: 10, station: { name: 'asset_unlisted' } });
		expect(node.runs).toHaveLength(2);
	});

	it('cannot be published or tested with a value out of bounds, and says which', async () => {
		const parameters = { triggerOn: 'stationOffline', forMinutes: 20_000 };
		const trigger = new AssetServiceStationTrigger();
		const node = createPollNode({
			...{ trigger, parameters, credential: service.credential(), workflowId: randomUUID() },
		});
		const message = "'Report After (Minutes)' must be a whole number from 0 to 10080, but is 20000";
		const description = 'Correct it in the node, then try again.';
		const failure = { name: 'NodeOperationError', message, description };
		// Of the error of a publication, n8n shows only the message.
		await expect(node.activation('activate')()).rejects.toMatchObject({
			...{ name: 'NodeOperationError', message: `${message}. ${description}` },
		});
		const credentials = [{ type: new AssetServiceApi(), data: service.credential() }];
		const { error } = await runNode({ node: trigger, credentials, parameters });
		expect(error).toMatchObject(failure);
	});

	it('fetches the newest incident for each output, marked as a test, and says how many there were', async () => {
		await emit(60, 'DISCONNECTED');
		await emit(30, 'CONNECTED');
		const [[opened] = [], [resolved] = [], ...others] = await fetchWith({
			triggerOn: 'stationOffline',
		});
		expect(opened).toMatchObject({ state: 'opened', station: { id: 'asset_unlisted' } });
		expect(resolved).toMatchObject({ state: 'resolved', minutes: 30, test: true });
		expect([opened?.['test'], others]).toEqual([true, []]);
		expect(Object.keys(opened ?? {}).slice(0, 4)).toEqual([
			...['station', 'connector', 'since', 'minutes'],
		]);
		// Since the event was made, a minute may have passed.
		const hint =
			/^In the last 6[0-2] minutes, as far back as the list goes, these settings would have reported 1 incident of 1 station\.$/;
		expect(hints).toEqual([expect.stringMatching(hint)]);
	});

	it('says in a test how far back the list goes, if it is younger than a day', async () => {
		// The hint rounds minutes up: the test has half of one to get here.
		await emit(6.5, 'CONNECTED');
		await fetchWith({ triggerOn: 'stationOffline' });
		expect(hints).toEqual([
			'The list has 1 event of the last 7 minutes and none before, and no incident that fits these settings: the item is a sample.',
		]);
		await emit(60 * 25, 'CONNECTED');
		await fetchWith({ triggerOn: 'stationOffline' });
		expect(hints[0]).toMatch(/^The list has 2 events of the last 25 hours and none before, /);
		await emit(60 * 24 * 8, 'CONNECTED');
		await fetchWith({ triggerOn: 'stationOffline' });
		expect(hints[0]).toMatch(/^The list has \d events of the last 7 days, and no incident /);
	});

	it('watches only the stations that were selected, and says which ID is wrong', async () => {
		const [known, other] = generateAssets(2);
		const only = (...ids: string[]) => ({
			triggerOn: 'stationOffline',
			options: {
				onlyStations: {
					station: ids.map((value) => ({ assetId: { __rl: true, mode: 'id', value } })),
				},
			},
		});
		await emit(60, 'DISCONNECTED', known?.id);
		await emit(50, 'DISCONNECTED', other?.id);
		const [[item] = []] = await fetchWith(only(known?.id ?? ''));
		expect(item).toMatchObject({ station: { id: known?.id }, test: true });
		expect(hints[0]).toContain('1 incident of 1 station');
		const trigger = new AssetServiceStationTrigger();
		const publish = (parameters: INodeParameters) =>
			createPollNode({
				...{ trigger, parameters, credential: service.credential(), workflowId: randomUUID() },
			}).activation('activate')();
		await expect(publish(only('asset_typo'))).rejects.toThrow(
			"Not in the asset list: asset_typo. Select stations from the list in 'Only These Stations'",
		);
		await expect(publish(only(''))).rejects.toThrow(
			"'Only These Stations' has a row without a station",
		);
		await expect(publish(only(known?.id ?? ''))).resolves.toBeNull();
	});

	it('says in a test why the names of the stations are missing', async () => {
		await emit(60, 'DISCONNECTED');
		service.simulator.faults.add({ path: '/asset-management/v1/assets', status: 403 });
		await fetchWith({ triggerOn: 'stationOffline' });
		expect(hints).toContainEqual(
			expect.stringMatching(
				/^Stations appear by ID: The API client is not allowed to list assets: .*Add that scope in the developer area/,
			),
		);
	});

	it('fetches the incident that was chosen, with the ID that the published trigger gives it', async () => {
		const parameters = { triggerOn: 'stationOffline', forMinutes: 0, resolveAfterMinutes: 0 };
		for (const minutesAgo of [60, 40, 20]) {
			await emit(minutesAgo, 'DISCONNECTED');
			await emit(minutesAgo - 10, 'CONNECTED');
		}
		const [[newest] = []] = await fetchWith(parameters);
		expect(Date.parse(asText(newest?.['since']))).toBeGreaterThan(Date.now() - 21 * MINUTE_MS);
		const [first, ...choices] = await search(parameters);
		expect(first).toEqual({ name: 'Newest', value: 'newest' });
		expect(choices).toHaveLength(3);
		expect(choices[0]?.name).toMatch(/^asset_unlisted, DISCONNECTED, \d+ \w+ \d\d:\d\d, 10 min$/);
		const chosen = async (choice: (typeof choices)[number] | undefined) => {
			const testWith = { __rl: true, mode: 'list', value: choice?.value ?? '' };
			const [[item] = []] = await fetchWith({ ...parameters, options: { testWith } });
			expect(hints).toEqual([]);
			return item;
		};
		expect(await chosen(choices[0])).toMatchObject({ incident: newest?.['incident'] });
		const oldest = await chosen(choices[2]);
		expect(oldest).toMatchObject({ test: true });
		expect(Date.parse(asText(oldest?.['since']))).toBeLessThan(Date.now() - 59 * MINUTE_MS);
	});

	it.each([
		['stationOffline', { reportResolved: false }, ['opened']],
		['connectorStatus', {}, ['opened', 'resolved']],
		['connectorFault', {}, ['opened', 'resolved']],
		['sessionEnded', {}, [undefined]],
	])('fetches a sample of %s where there is none (%j)', async (triggerOn, parameters, states) => {
		const outputs = await fetchWith({ triggerOn, ...parameters });
		expect(outputs.map(([item]) => item)).toMatchObject(
			states.map((state) => ({ kind: triggerOn, test: true, ...(state && { state }) })),
		);
	});
});
