/** n8n starts again what it had stored and not begun; the event of such a run does not run a second time. */
import { signTimestamped } from '../../../lib/signature';
import { countedWorkflows } from '../../support/n8n/countedWorkflow';
import { waitForWebhook } from '../../support/n8n/workflows';
import { createWorld, type World } from '../../support/n8n/world';
import { waitFor } from '../../support/wait';

const MINUTES = 60_000;

describe('an n8n that dies while a run waits for its turn', () => {
	let world: World;

	beforeAll(async () => {
		world = await createWorld({ env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } });
	}, 20 * MINUTES);
	afterAll(async () => {
		await world.dispose();
	}, MINUTES);

	const publish = countedWorkflows();

	it(
		'runs the event once when it is back, and answers its next copy as a duplicate',
		async () => {
			const { client, server } = world;
			// The first run must last until n8n is killed, however slowly the second one is stored.
			const { workflow, secret, urls } = await publish(world, { runSeconds: 30 });
			const [url] = urls;
			const deliver = async (id: string) => {
				const body = JSON.stringify({ id, type: 'ocpp.message', data: {} });
				const seconds = Math.floor(Date.now() / 1000);
				const response = await fetch(url, {
					method: 'POST',
					body,
					headers: {
						'content-type': 'application/json',
						'x-webhook-signature': signTimestamped(secret, seconds, body),
					},
				});
				return { status: response.status, body: await response.text() };
			};

			expect(await deliver('first')).toMatchObject({ status: 200 });
			const unanswered = deliver('second').catch(() => 'no answer');
			await waitFor(
				async () => {
					const executions = await client.listExecutions({ workflowId: workflow.id });
					return executions.length === 2 ? true : undefined;
				},
				{ what: 'the second run to be stored', everyMs: 20 },
			);
			await server.kill();
			expect(await unanswered).toBe('no answer');

			await server.start();
			await waitForWebhook(url);
			const ended = await client.waitForExecutions({ workflowId: workflow.id }, 2);
			expect(ended.map(({ status }) => status).sort()).toEqual(['crashed', 'success']);
			expect(await deliver('second')).toEqual({ status: 200, body: '{"status":"duplicate"}' });
			expect(await client.listExecutions({ workflowId: workflow.id })).toHaveLength(2);
		},
		6 * MINUTES,
	);
});
