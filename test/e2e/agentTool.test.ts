/** The action node as a tool of n8n's AI Agent, run by n8n's own executor: a model's calls and their results. */
import { startSimulator } from '../../simulator';
import { generateAssets } from '../../simulator/data/assets';
import { Station } from '../../simulator/data/field/station';
import { createRandom } from '../../simulator/data/random';
import { LAST_WORDS, type PlannedCall, startFakeModel } from '../support/fakeModel';
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
const STATIONS = 30;
const simulator = useForAll(() => startSimulator({ assets: STATIONS }));
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

/** What a model looks for in the texts that n8n makes of the tools. */
const FIND = /find a station by its name/;
const STATUS = /status of stations now/;
const OUTAGES = /^Get outages of stations/;
const SESSIONS = /charging sessions of stations/;
const UPTIME = /uptime of stations in percent/;

const day = { createdAfter: '', createdBefore: '' };
const ofAll = { assetIds: '', ...day };
/** Two calls: the ID by the name, then the question. */
const of = (name: string, tool: RegExp, more: Record<string, unknown>): PlannedCall[] => [
	{ tool: FIND, input: { name } },
	{
		tool,
		input: ([found = '']) => ({ assetIds: /"id":"([^"]+)"/.exec(found)?.[1], ...more }),
	},
];

/** Of a station whose connector has been Finishing for hours, with a session that has not ended. */
async function tellStuck(): Promise<{ id: string; name: string }> {
	const [asset] = generateAssets(STATIONS)
		.slice(12)
		.filter(
			({ chargingStation: { protocol, connectors } }) =>
				protocol === 'OCPP_1_6' && connectors.every(({ status }) => status !== 'Unavailable'),
		);
	if (asset === undefined) throw new Error('There is no such station.');
	const station = new Station(asset, createRandom(0), 20_000);
	const session = station.session({
		...{ connector: 1, transactionId: 777, idTag: 'TAG2', meterStartWh: 5000 },
	});
	const said = [
		[300, session.started()],
		[200, station.status(1, 'Finishing')],
	] as const;
	for (const [minutesAgo, message] of said) {
		const createdAt = new Date(Date.now() - minutesAgo * 60_000).toISOString();
		if (message) await simulator.emit({ ...message(createdAt), createdAt }, { deliver: false });
	}
	return { id: asset.id, name: asset.chargingStation.name };
}

it('answers ten questions of drivers in the chat of the example, each with one or two calls', async () => {
	const { client } = world;
	const [faulted, offline] = await tellStations(simulator);
	const stuck = await tellStuck();
	const [F, O, S] = [faulted.name, offline.name, stuck.name];
	const now = { onlyProblems: false };
	/** The calls, what the last result says, and what it leaves out. */
	const questions: Record<string, readonly [PlannedCall[], string[], string[]?]> = {
		'Which stations have a problem now?': [
			[{ tool: STATUS, input: { assetIds: '', onlyProblems: true } }],
			[F, O, '"faulted"', '"offline"'],
			[S],
		],
		[`Is ${O} online?`]: [of(O, STATUS, now), ['"offline"', '"since":"'], [F]],
		[`The driver at ${F} cannot start. Why?`]: [of(F, STATUS, now), ['InternalError', 'E-7'], [O]],
		[`Is a car charging at ${S}?`]: [
			of(S, STATUS, now),
			['"sessions":[{"connector":"1"', 'Finishing'],
		],
		[`How long was ${F} down today, and why?`]: [
			of(F, OUTAGES, day),
			['"minutes":30', '"offline"', '"faulted"', 'InternalError'],
			[O],
		],
		'Which stations were down today?': [[{ tool: OUTAGES, input: ofAll }], [F, O, '"minutes":30']],
		'Which faults were there today?': [
			[{ tool: 'Get_faults', input: ofAll }],
			[F, 'InternalError', '"count":2'],
			[O],
		],
		'Which cars have not left although they are full?': [
			[{ tool: 'Get_stuck', input: ofAll }],
			[S, 'Finishing'],
			[O],
		],
		[`What did the last driver at ${F} charge?`]: [
			of(F, SESSIONS, { ...day, includeOpen: false }),
			['"energyKwh":7.5', '"minutes":60'],
		],
		[`What is the uptime of ${F}?`]: [of(F, UPTIME, day), ['uptimePercent'], [O]],
	};
	expect(Object.keys(questions)).toHaveLength(10);
	const asked = stopped(await startFakeModel((question) => questions[question]?.[0] ?? []));
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
	for (const [question, [calls, says, leavesOut = []]] of Object.entries(questions)) {
		const chatted = await waitFor(
			async () => {
				const response = await fetch(`${world.url}/webhook/questions/chat`, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ action: 'sendMessage', sessionId: '1', chatInput: question }),
				});
				return response.status === 404 ? undefined : response;
			},
			{ what: 'the chat', timeoutMs: 60_000 },
		);
		expect([question, await chatted.json()]).toMatchObject([question, { output: LAST_WORDS }]);
		const results = asked.results();
		expect([question, results.length]).toEqual([question, calls.length]);
		expect(calls.length).toBeLessThanOrEqual(2);
		const last = results.at(-1) ?? '';
		expect(says.filter((text) => !last.includes(text)).map((text) => [question, text])).toEqual([]);
		expect(leavesOut.filter((text) => last.includes(text))).toEqual([]);
		// What a model can read; of all stations, Get Status says only what is wrong.
		const most = calls.at(-1)?.tool === STATUS ? 6_000 : 20_000;
		expect([question, Math.max(...results.map(({ length }) => length)) < most]).toEqual([
			question,
			true,
		]);
	}
	// n8n makes these texts of the actions, and nothing else tells a model what a tool is for.
	for (const { name, description, parameters } of asked.tools()) {
		expect([name, description.length < 150]).toEqual([name, true]);
		for (const one of Object.values(parameters.properties)) {
			expect(one).toMatchObject({ description: expect.stringMatching(/\w/) as string });
		}
	}
	await client.deactivate(id);
});
