/** The tour of the demo: what it prints, and what happens for what is typed. */
import { PassThrough } from 'node:stream';
import { stringify as flatten } from 'flatted';
import { guide, program, type TourStage } from '../../../../scripts/demo/tour';
import { startSimulator } from '../../../../simulator';
import { useForEach } from '../../../support/lifetime';
import { ExecutionShape, WorkflowShape } from '../../../support/n8n/responses';
import { STATION_TRIGGER_TYPE } from '../../../support/nodes';
import { waitFor } from '../../../support/wait';

const simulator = useForEach(() => startSimulator({ assets: 12 }));
const printed = jest.spyOn(console, 'log').mockReturnValue();
const TRIGGER = 'Trigger';

const workflow = (id: string) =>
	WorkflowShape.parse({
		...{ id, name: id, active: true, versionId: '1', connections: {} },
		nodes: [{ id: 'n', name: TRIGGER, type: STATION_TRIGGER_TYPE, typeVersion: 1, parameters: {} }],
	});

const SUMMARY = {
	...({ workflowId: 'off', mode: 'trigger', status: 'success' } as const),
	...{ startedAt: null, stoppedAt: null },
};

/** n8n with an execution of another station, and one of the station to which something happened. */
function stage(publishedAt: number): TourStage {
	const executionOf = (id: string, assetId: string) =>
		ExecutionShape.parse({
			...{ id, workflowId: 'off', mode: 'trigger', status: 'success', createdAt: '' },
			data: flatten({
				resultData: {
					runData: { [TRIGGER]: [{ data: { main: [[{ json: { station: { id: assetId } } }]] } }] },
				},
			}),
		});
	return {
		simulator,
		endpoint: simulator.createEndpoint({ url: `${simulator.baseUrl}/_simulator/receiver` }),
		publishedAt,
		...{ offlineWorkflow: workflow('off'), faultWorkflow: workflow('fault') },
		eventWorkflow: workflow('event'),
		world: {
			url: 'http://127.0.0.1:5678',
			owner: { email: 'a@example.com', password: 'p', firstName: '', lastName: '' },
			client: {
				listExecutions: async () =>
					await Promise.resolve(['8', '7'].map((id) => ({ ...SUMMARY, id }))),
				waitForExecution: async (id) => {
					const [incident] = simulator.incidents();
					return await Promise.resolve(
						executionOf(id, id === '7' ? (incident?.assetId ?? '') : 'another'),
					);
				},
			},
		},
	};
}

/** Types the lines, and returns what the tour logged once it has logged as many lines. */
async function typed(lines: readonly string[], count: number, publishedAt = 0): Promise<string[]> {
	const input = new PassThrough();
	const ending = new AbortController();
	const logged: string[] = [];
	const guided = guide(stage(publishedAt), (line) => logged.push(line), {
		...{ input, signal: ending.signal },
	});
	for (const line of lines) input.write(`${line}\n`);
	await waitFor(() => logged.length >= count, { what: 'the log', detail: () => logged.join('\n') });
	ending.abort();
	await guided;
	return logged;
}

it('prints where to sign in, and each number with the page to look at', () => {
	const text = program(stage(0)).join('\n');
	expect(text).toMatch(/^Open +http:\/\/127.0.0.1:5678\nSign in +a@example.com {2}p$/m);
	for (const [number, id] of [
		['1', 'off'],
		['2', 'fault'],
		['3', 'event'],
	]) {
		expect(text).toMatch(
			new RegExp(`^ +${number} {2}\\S.*\n +http://127.0.0.1:5678/workflow/${id}/executions$`, 'm'),
		);
	}
});

it.each([
	['1', 'stationOffline', 'off'],
	['2', 'connectorFault', 'fault'],
])('%s: %s, and the link to its execution', async (key, kind, id) => {
	const logged = await typed(['', 'x', '9', key], 2);
	expect(simulator.incidents().filter((one) => one.kind === kind)).toHaveLength(1);
	expect(logged).toEqual([
		expect.stringMatching(/^\S.* (is offline|has a faulted connector)\. n8n looks/),
		`There it is: http://127.0.0.1:5678/workflow/${id}/executions/7`,
	]);
});

it('what happens is a minute old, and never before the publication, since the trigger would not report it', async () => {
	await typed(['1'], 1);
	const [old] = simulator.events;
	expect(Date.now() - Date.parse(old?.createdAt ?? '')).toBeGreaterThanOrEqual(65_000);
	const published = Date.now() - 10_000;
	await typed(['1'], 1, published);
	const young = simulator.events.at(-1);
	expect(young).not.toEqual(old);
	expect(Date.parse(young?.createdAt ?? '')).toBeGreaterThan(published);
});

it('3 delivers an event three times and a forged one, 4 prints the values to enter', async () => {
	const [responses, where, ...values] = await typed(['3'], 2).then(async (logged) => [
		...logged,
		...(await typed(['4'], 8)),
	]);
	expect(responses?.match(/200/g)).toHaveLength(4);
	expect(where).toContain('/workflow/event/executions');
	expect(values.join('\n')).toContain(simulator.clientSecret);
	expect(printed).toHaveBeenCalled();
});
