/** Operations that change something, for several items and with Retry On Fail, on a real n8n: counted at the service. */
import { startSimulator } from '../../../simulator';
import { useForEach } from '../../support/lifetime';
import { itemsOf } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { assetList, baseNode, manualTrigger } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';

const CREATE = 'Create';
const TEN = Array.from({ length: 10 }, (_, n) => n);

const world = useWorld();
const simulator = useForEach(() => startSimulator());

/** Ten items into Create, which n8n tries three times; gives the execution. */
async function createTen(parameters: object) {
	const { client } = world;
	const credential = await client.createCredential(apiCredential(simulator));
	const list = JSON.stringify({ n: TEN });
	const workflow = await client.createWorkflow(
		buildWorkflow({
			nodes: {
				Start: manualTrigger,
				List: baseNode('set', 3.4, { mode: 'raw', jsonOutput: list, options: {} }),
				Items: baseNode('splitOut', 1, { fieldToSplitOut: 'n', options: {} }),
				[CREATE]: {
					...assetList(credential, {
						resource: 'webhookEndpoint',
						operation: 'create',
						url: '=https://n8n.example.com/webhook/{{ $json.n }}',
						events: ['ocpp.message'],
						...parameters,
					}),
					retryOnFail: true,
					maxTries: 3,
					waitBetweenTries: 1,
				},
			},
			chains: [['Start', 'List', 'Items', CREATE]],
		}),
	);
	return await client.waitForExecution(await client.runManually(workflow.id, 'Start'));
}

const created = () => simulator.endpoints.map(({ url }) => Number(url.split('/').at(-1)));

it('changes nothing where one of ten items is invalid', async () => {
	const url = '={{ $json.n === 1 ? "ftp://n8n" : "https://n8n.example.com/webhook/" + $json.n }}';
	expect((await createTen({ url })).status).toBe('error');
	expect(simulator.stats.endpoints.created).toBe(0);
});

it('changes nothing after the first failure, and nothing twice', async () => {
	// The service itself refuses the second one.
	const events = '={{ $json.n === 1 ? ["a*"] : ["ocpp.message"] }}';
	const execution = await createTen({ events });
	expect(execution.status).toBe('error');
	expect(created()).toEqual([0]);
	expect(JSON.stringify(execution)).toContain('1 of 10 items was done before the failure');
	const [endpoint] = simulator.endpoints;
	expect(JSON.stringify(execution)).not.toContain(endpoint?.secret);
});

it('is complete and without doubles where a later try succeeds', async () => {
	// The client itself never repeats a POST.
	simulator.faults.add({ method: 'POST', path: /webhook-endpoints$/, status: 503, times: 2 });
	const execution = await createTen({});
	expect(execution.status).toBe('success');
	expect(created()).toEqual(TEN);
	const secrets = itemsOf(execution, CREATE).map(({ json }) => json['secret']);
	expect(secrets).toEqual(simulator.endpoints.map(({ secret }) => secret));
});
