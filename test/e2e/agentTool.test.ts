/** The action node as a tool of n8n's AI Agent, run by n8n's own executor: a model's calls and their results. */
import { startSimulator } from '../../simulator';
import { generateAssets } from '../../simulator/data/assets';
import { LAST_WORDS, startFakeModel } from '../support/fakeModel';
import { endAfterAll, useForAll } from '../support/lifetime';
import { apiCredential } from '../support/n8n/credentials';
import { example } from '../support/n8n/examples';
import { itemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE, manualTrigger } from '../support/nodes';
import { tellStations } from '../support/stationStory';
import { waitFor } from '../support/wait';
import { buildWorkflow, type CredentialName, type NodePlan } from '../support/workflow';

const AGENT = 'Agent';
const START = 'Start';
const MODEL = 'Model';
const LIST = 'List assets';
const CREATE = 'Create endpoint';
const URL_OF_ENDPOINT = 'https://n8n.example.com/webhook/1';

const stopped = endAfterAll();
const world = useWorld();
const simulator = useForAll(() => startSimulator());
const model = useForAll(() =>
	startFakeModel([
		{ tool: 'List_assets', input: { limit: 2 } },
		{ tool: 'Create_endpoint', input: { url: URL_OF_ENDPOINT } },
	]),
);

/** An agent with a model and two tools whose inputs the model fills in. */
function agentWorkflow(service: CredentialName, openAi: CredentialName) {
	const tool = (parameters: object): NodePlan => ({
		...{ type: `${ACTION_TYPE}Tool`, typeVersion: 1, credentials: [service], parameters },
	});
	const langchain = (type: string) => `@n8n/n8n-nodes-langchain.${type}`;
	const content = buildWorkflow({
		nodes: {
			[START]: manualTrigger,
			[AGENT]: {
				...{ type: langchain('agent'), typeVersion: 3 },
				parameters: { promptType: 'define', text: 'What is there?', options: {} },
			},
			[MODEL]: {
				...{ type: langchain('lmChatOpenAi'), typeVersion: 1.3, credentials: [openAi] },
				parameters: {
					model: { __rl: true, mode: 'id', value: 'fake' },
					responsesApiEnabled: false,
					options: {},
				},
			},
			[LIST]: tool({
				...{ resource: 'asset', operation: 'getAll' },
				limit: "={{ $fromAI('limit', 'How many', 'number') }}",
			}),
			[CREATE]: tool({
				...{ resource: 'webhookEndpoint', operation: 'create', includeSecret: true },
				url: "={{ $fromAI('url', 'Where to deliver to', 'string') }}",
				events: ['ocpp.message'],
			}),
		},
		chains: [[START, AGENT]],
	});
	const serves = (type: string) => ({ [type]: [[{ node: AGENT, type, index: 0 }]] });
	return {
		...content,
		connections: {
			...content.connections,
			[MODEL]: serves('ai_languageModel'),
			[LIST]: serves('ai_tool'),
			[CREATE]: serves('ai_tool'),
		},
	};
}

it('runs the calls of the model and returns the results without any secret', async () => {
	const service = await world.client.createCredential(apiCredential(simulator));
	const openAi = await world.client.createCredential({
		...{ name: 'Fake model', type: 'openAiApi' },
		data: { apiKey: 'a-key-of-this-test', url: model.url },
	});
	const { id } = await world.client.createWorkflow(agentWorkflow(service, openAi));
	const run = await world.client.runManually(id, START);
	const execution = await world.client.waitForExecution(run);
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, AGENT)).toMatchObject([{ json: { output: LAST_WORDS } }]);

	const [assets, created, ...others] = model.results();
	const [first, second, third] = generateAssets(3).map((asset) => asset.id);
	for (const listed of [first, second]) expect(assets).toContain(listed);
	expect(assets).not.toContain(third);
	const [endpoint] = simulator.endpoints;
	expect(endpoint).toMatchObject({ url: URL_OF_ENDPOINT, events: ['ocpp.message'] });
	expect(created).toContain(endpoint?.id);
	expect(others).toEqual([]);

	for (const secret of [endpoint?.secret, simulator.clientSecret]) {
		expect(secret).toMatch(/\S/);
		expect(model.heard()).not.toContain(secret);
		expect(JSON.stringify(execution)).not.toContain(secret);
	}
});

it('answers questions about stations in the chat of the example', async () => {
	const { client } = world;
	const [faulted, offline] = await tellStations(simulator);
	const asked = stopped(
		await startFakeModel([
			{ tool: 'Get_status', input: { assetIds: `${faulted.id}, ${offline.id}` } },
			{ tool: 'Get_outages', input: { assetIds: '', createdAfter: '', createdBefore: '' } },
			{ tool: 'Get_uptime', input: { assetIds: faulted.id, createdAfter: '', createdBefore: '' } },
		]),
	);
	const { id, nodes } = await client.importWorkflow(example('station-questions.json'), [
		await client.createCredential(apiCredential(simulator)),
		await client.createCredential({
			...{ name: 'Scripted model', type: 'openAiApi' },
			data: { apiKey: 'a-key-of-this-test', url: asked.url },
		}),
	]);
	const own: Readonly<Record<string, object>> = {
		Chat: { public: true },
		Model: { model: { __rl: true, mode: 'id', value: 'fake' }, responsesApiEnabled: false },
	};
	await client.updateWorkflow(id, {
		nodes: nodes.map((node) => ({
			...{ ...node, webhookId: node.name === 'Chat' ? 'questions' : undefined },
			parameters: { ...node.parameters, ...own[node.name] },
		})),
	});
	await client.activate(id);
	const chatted = await waitFor(
		async () => {
			const response = await fetch(`${world.url}/webhook/questions/chat`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({
					action: 'sendMessage',
					sessionId: '1',
					chatInput: 'What is wrong?',
				}),
			});
			return response.status === 404 ? undefined : response;
		},
		{ what: 'the chat', timeoutMs: 60_000 },
	);
	expect(await chatted.json()).toMatchObject({ output: LAST_WORDS });
	const [status, outages, uptime] = asked.results();
	for (const text of [faulted.name, offline.name, '"faulted"', '"offline"']) {
		expect(status).toContain(text);
	}
	for (const text of [faulted.name, offline.name, '"minutes":30']) expect(outages).toContain(text);
	expect(uptime).toContain('uptimePercent');
	expect(uptime).not.toContain(offline.name);
	await client.deactivate(id);
});
