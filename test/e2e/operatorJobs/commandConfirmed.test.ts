/** The job "Send a command and confirm it" on a real n8n: its report on each command, and how often a station received it. */
import { type EventInput, startSimulator, type StationInput } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { type IssuedToken, Tokens } from '../../../simulator/store/tokens';
import { endAfterEach, useForAll } from '../../support/lifetime';
import { itemsOf } from '../../support/n8n/answers';
import { useWorld } from '../../support/n8n/useWorld';
import { buildWorkflow } from '../../support/workflow';
import { enabledCommands } from './commands';
import { type FileNode, publishJob } from './job';
import { storyTeller } from './messages';

const FILE = 'command-confirmed.json';
const ASSETS = generateAssets(40);
const FAULT = { connectorId: 1, errorCode: 'OtherError', status: 'Faulted' };

const world = useWorld();
const issue = jest.spyOn(Tokens.prototype, 'issue');

/** With commands turned on, and a short time for late responses. */
function setUp(node: FileNode, baseUrl: string, timeoutMs?: number): FileNode {
	if (node['name'] === 'Wait') return { ...node, parameters: { amount: 3 } };
	return enabledCommands(node, baseUrl, timeoutMs);
}

// Different assets, since both profiles write to the same table.
describe.each([
	['documented', ASSETS.slice(0, 20)],
	['field', ASSETS.slice(20)],
] as const)('with events as %s', (profile, assets) => {
	const simulator = useForAll(() =>
		startSimulator({ profile, assets: ASSETS.length, commandTimeoutMs: 2000 }),
	);
	const stopped = endAfterEach();
	const publish = async (timeoutMs?: number) => {
		const change = (node: FileNode) => setUp(node, simulator.baseUrl, timeoutMs);
		return stopped(await publishJob(world, simulator, FILE, { change }));
	};
	const statsOf = (assetId: string) =>
		simulator.stats.commands.filter((command) => command.assetId === assetId);

	it('sends one command for each fault, however often it is delivered, and reports its result', async () => {
		const { station } = storyTeller(profile);
		const job = await publish();
		const cases: Record<string, readonly [station: StationInput, outcome: string, detail: RegExp]> =
			{
				accepted: [{ commands: 'accepted' }, 'accepted', /^The station responded Accepted\.$/],
				rejected: [{ commands: 'rejected' }, 'rejected', /^The station responded Rejected\.$/],
				error: [{ commands: 'error' }, 'rejected', /error InternalError/],
				offline: [{ commands: 'offline' }, 'failed', /HTTP 409: The station is not connected\./],
				silent: [{ commands: 'none' }, 'unconfirmed', /HTTP 504/],
				late: [{ commands: 'accepted', afterMs: 3000 }, 'accepted', /Accepted, but late\.$/],
				lateNo: [{ commands: 'rejected', afterMs: 3000 }, 'rejected', /Rejected, but late\.$/],
			};
		const stations = Object.keys(cases).map((name, index) => {
			const { id = '', chargingStation } = assets[index] ?? {};
			simulator.setStation(id, cases[name]?.[0] ?? { commands: 'accepted' });
			return { ...station(id), case: name, name: chargingStation?.name ?? '' };
		});
		const late = station(assets[16]?.id);
		const unlisted = station();
		const fault = (each: (typeof stations)[number]): EventInput[] => {
			const [call, ...answer] = each.call(3, 'StatusNotification', FAULT);
			return [{ ...call, id: `${profile}_${each.case}` }, ...answer];
		};
		const events: EventInput[] = [...stations, { ...unlisted, case: 'unlisted', name: '' }].flatMap(
			(each) => [
				...fault(each),
				// Faults that a reset cannot fix start nothing.
				...each.call(2, 'StatusNotification', { ...FAULT, errorCode: 'GroundFailure' }),
				...each.call(1, 'StatusNotification', { ...FAULT, status: 'Available' }),
			],
		);
		// A station must not be reset for an old fault.
		await job.tell([...events, ...late.call(61, 'StatusNotification', FAULT)]);

		const notices = await job.output('Send notice');
		expect(notices).toHaveLength(stations.length + 1);
		for (const { id, case: name, name: shown } of stations) {
			const [{ commands } = { commands: '' }, outcome, detail] = cases[name] ?? [];
			const notice = notices.find(({ assetId }) => assetId === id);
			expect(notice).toMatchObject({
				...{ station: shown, action: 'Reset', outcome },
				detail: expect.stringMatching(detail ?? '') as string,
				sentLocal: expect.stringMatching(/ E[SD]T$/) as string,
			});
			expect(statsOf(id)).toEqual([
				{
					...{ requestId: `${profile}_${name}`, assetId: id, action: 'Reset' },
					...{ requests: 1, executed: commands === 'offline' ? 0 : 1 },
				},
			]);
		}
		expect(notices.find(({ assetId }) => assetId === unlisted.id)).toMatchObject({
			...{ station: unlisted.id, outcome: 'failed' },
			detail: 'The service refused it (HTTP 404: There is no such asset.).',
		});

		const rows = await world.client.tableRows('Station commands');
		for (const { id, case: name } of stations) {
			expect(rows.filter(({ assetId }) => assetId === id)).toMatchObject([
				{ action: 'Reset', outcome: cases[name]?.[1] },
			]);
		}
	});

	it('sends no second command to a station within the quiet time, unless the first did not reach it', async () => {
		const { station } = storyTeller(profile);
		const job = await publish();
		const [faulty, offline] = [station(assets[10]?.id), station(assets[11]?.id)];
		simulator.setStation(offline.id, { commands: 'offline' });
		const faults = () =>
			[faulty, offline].flatMap((each) => each.call(1, 'StatusNotification', FAULT));
		await job.tell(faults());
		await job.settled();
		simulator.setStation(offline.id, { commands: 'accepted' });
		await job.tell(faults());
		await job.settled();
		expect(statsOf(faulty.id)).toMatchObject([{ requests: 1, executed: 1 }]);
		expect(statsOf(offline.id)).toMatchObject([{ executed: 0 }, { requests: 1, executed: 1 }]);
	});

	/** As another workflow does. */
	const callJob = async (workflowId: string, inputs: object) => {
		const { client } = world;
		const caller = await client.createWorkflow(
			buildWorkflow({
				nodes: {
					Start: { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
					Call: {
						type: 'n8n-nodes-base.executeWorkflow',
						typeVersion: 1.2,
						parameters: {
							workflowId: { __rl: true, mode: 'id', value: workflowId },
							workflowInputs: { mappingMode: 'defineBelow', value: inputs },
						},
					},
				},
				chains: [['Start', 'Call']],
			}),
		);
		const execution = await client.waitForExecution(await client.runManually(caller.id, 'Start'));
		expect(execution.data.resultData.error).toBeUndefined();
		return itemsOf(execution, 'Call').map(({ json }) => json);
	};

	it('repeats a command with the same ID, and reports the response to the first', async () => {
		const { station } = storyTeller(profile);
		const job = await publish();
		const one = station(assets[12]?.id);
		const { id: assetId } = one;
		await job.tell(one.call(1, 'StatusNotification', FAULT));
		await job.settled();
		simulator.setStation(assetId, { commands: 'rejected' });
		const [{ requestId: eventId } = { requestId: '' }] = statsOf(assetId);
		const [result] = await callJob(job.workflowId, { eventId, assetId });
		expect(result).toMatchObject({ requestId: eventId, outcome: 'accepted' });
		expect(statsOf(assetId)).toMatchObject([{ requests: 2, executed: 1 }]);
	});

	it('can be called by other workflows, and shortens an ID that is too long for OCPP', async () => {
		const job = await publish();
		const assetId = assets[13]?.id ?? '';
		const eventId = `whevt_${'x'.repeat(40)}`;
		const [result] = await callJob(job.workflowId, { eventId, assetId });
		expect(result).toMatchObject({ assetId, outcome: 'accepted' });
		expect(statsOf(assetId)).toMatchObject([
			{ requestId: expect.stringMatching(/^[0-9a-f]{32}$/) as string, executed: 1 },
		]);
	});

	it('sends a request without a response again with its ID, reports it as unconfirmed, and shows no token', async () => {
		const { station } = storyTeller(profile);
		const job = await publish(1000);
		const one = station(assets[14]?.id);
		const { id: assetId } = one;
		simulator.setStation(assetId, { commands: 'none' });
		await job.tell(one.call(1, 'StatusNotification', FAULT));
		const [notice] = await job.output('Send notice');
		expect(notice).toMatchObject({ assetId, outcome: 'unconfirmed' });
		expect(notice?.['detail']).toMatch(/^There was no response: /);
		// n8n itself retries it.
		expect(statsOf(assetId)).toMatchObject([{ requests: 2, executed: 1 }]);
		const executions = await world.client.listExecutions({ workflowId: job.workflowId });
		const texts = await Promise.all(
			executions.map(async ({ id }) => JSON.stringify(await world.client.getExecution(id))),
		);
		const tokens = issue.mock.results.map(({ value }) => value as IssuedToken | undefined);
		const secrets = [
			simulator.clientSecret,
			...tokens.flatMap((token) => token?.accessToken ?? []),
		];
		for (const secret of secrets) expect(texts.join()).not.toContain(secret);
	});

	it('sends a notice with the ID if assets cannot be listed', async () => {
		const { station } = storyTeller(profile);
		const job = await publish();
		const one = station(assets[15]?.id);
		simulator.faults.add({ path: '/asset-management/v1/assets', status: 403 });
		await job.tell(one.call(1, 'StatusNotification', FAULT));
		const notices = await job.output('Send notice');
		simulator.faults.clear();
		expect(notices).toMatchObject([{ station: one.id, outcome: 'accepted' }]);
	});
});
