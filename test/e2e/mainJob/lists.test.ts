/** The action node lists assets on a real n8n: one token however many runs, and a warning when the service repeats itself. */
import { z } from 'zod/v4';
import { startSimulator } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { useForEach } from '../../support/lifetime';
import { type Execution, itemsOf } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { assetList, webhook } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';
import { NODE, runByHand } from './runByHand';
import { tracesOf } from './traces';

const MINUTES = 60_000;
const ASSETS = '/asset-management/v1/assets';
const TOKEN = '/oauth/token';
const RUNS = 50;
const PAGE = 100;

const world = useWorld();
const simulator = useForEach(() => startSimulator({ assets: 230 }));
afterEach(() => {
	expect(tracesOf([simulator.clientSecret], world.userFolder)).toEqual([]);
});

const assetIds = generateAssets(230).map(({ id }) => id);

/** What the service was asked for, in order. */
const asked = () => simulator.stats.requests.map(({ path }) => path);

const Warned = z.looseObject({
	hints: z.array(z.looseObject({ type: z.string(), message: z.string() })),
});
function warningsOf(execution: Execution): string[] {
	const task: unknown = execution.data.resultData.runData[NODE]?.at(-1);
	const { hints = [] } = Warned.partial().parse(task);
	return hints.map(({ type, message }) => `${type}: ${message}`);
}

it(`fetches one token for ${RUNS} runs at the same time, and one more when it is revoked`, async () => {
	const { client } = world;
	const credential = await client.createCredential(apiCredential(simulator));
	const content = buildWorkflow({
		nodes: {
			Call: webhook({ responseMode: 'lastNode' }),
			[NODE]: assetList(credential, { returnAll: false, limit: 5 }),
		},
		chains: [['Call', NODE]],
	});
	const workflow = await client.createWorkflow(content);
	const url = await client.webhookUrl(workflow, 'Call');
	await client.activate(workflow.id, { webhookUrls: [url] });
	const call = async () => {
		const response = await fetch(url, {
			method: 'POST',
			signal: AbortSignal.timeout(3 * MINUTES),
		});
		const answer = z.looseObject({ id: z.string() }).safeParse(await response.json());
		return { status: response.status, first: answer.data?.id };
	};
	const answers = async () => await Promise.all(Array.from({ length: RUNS }, call));
	// Every run is to come while the token is under way.
	simulator.faults.add({ path: TOKEN, delayMs: 3_000 });
	const success = Array(RUNS).fill({ status: 200, first: assetIds[0] });

	expect(await answers()).toEqual(success);
	expect(simulator.stats.tokenRequests).toBe(1);
	expect(asked().filter((path) => path === ASSETS)).toHaveLength(RUNS);

	simulator.revokeTokens();
	expect(await answers()).toEqual(success);
	expect(simulator.stats.tokenRequests).toBe(2);

	const executions = await client.waitForExecutions({ workflowId: workflow.id }, 2 * RUNS);
	expect(executions.map(({ status }) => status)).toEqual(Array(2 * RUNS).fill('success'));
	await client.deactivate(workflow.id);
});

it('ends after one repeated page, with a warning, when the service ignores the cursor', async () => {
	simulator.faults.add({ path: ASSETS, ignoreCursor: true });
	const credential = await world.client.createCredential(apiCredential(simulator));
	const execution = await runByHand(world, assetList(credential, { returnAll: true }));
	expect(execution.status).toBe('success');
	const ids = itemsOf(execution, NODE).map(({ json }) => json.id);
	expect(ids).toEqual(assetIds.slice(0, PAGE));
	expect(asked()).toEqual([TOKEN, ASSETS, ASSETS]);
	const [warning, ...others] = warningsOf(execution);
	expect(warning).toMatch(/^warning: .*it may be incomplete/);
	expect(others).toEqual([]);
	expect(world.server.logs()).toContain(warning?.replace('warning: ', ''));
});
