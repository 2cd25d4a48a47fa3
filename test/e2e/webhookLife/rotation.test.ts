/** Signing secrets change under steady traffic, manually and automatically, and no event is lost, doubled or rejected. */
import { randomUUID } from 'node:crypto';
import startOnEvent from '../../../examples/start-on-event.json';
import { startSimulator, type DeliveryResponse } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { signingCredential } from '../../support/n8n/credentials';
import { itemsOf, type Workflow } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { TRIGGER } from '../../support/nodes';
import { importAutomatic, publishAtUrl } from './automatic';

const MINUTES = 60_000;
const EVENTS_PER_SECOND = 5;
const MOST_AT_ONCE = 10;

/** Under heavy load: n8n's own responses while its database is slow, and ours to a copy that waited for 20 s. */
const isToComeAgain = ({ status, body }: DeliveryResponse): boolean =>
	(status === 500 && body.includes('There was a problem executing the workflow')) ||
	(status === 503 && (body.includes('Database is not ready') || body === '{"status":"busy"}'));

describe('rotation of signing secrets on a real n8n', () => {
	// The service's own limit of 30 s does not matter here and is too short for a busy machine.
	const simulator = useForAll(() => startSimulator({ attemptTimeoutMs: 5 * MINUTES }));
	const world = useWorld();

	/** Events that were sent to two endpoints, whatever the responses. */
	let sentToBoth = 0;

	/** The responses of every endpoint, with retries where the service would retry. */
	const deliver = async (id: string): Promise<DeliveryResponse[]> => {
		for (;;) {
			const { responses } = await simulator.emit({ id });
			if (responses.length === 2) sentToBoth += 1;
			if (!responses.some(isToComeAgain)) return responses;
		}
	};

	/**
	 * Sends 5 events per second for this long, each to every existing endpoint, and fewer while a busy machine has not responded
	 * to 10 of them. The steps of `at` run at the same time, by second; `answered` resolves when everything sent so far has its
	 * response.
	 */
	const steadyTraffic = async (
		seconds: number,
		at: Readonly<Record<number, (answered: () => Promise<unknown>) => void | Promise<void>>> = {},
	) => {
		const responses: DeliveryResponse[] = [];
		const ids: string[] = [];
		const underWay = new Set<Promise<void>>();
		const startedAt = performance.now();
		sentToBoth = 0;
		for (let n = 0; n < seconds * EVENTS_PER_SECOND; n += 1) {
			const wait = startedAt + (n * 1000) / EVENTS_PER_SECOND - performance.now();
			if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
			while (underWay.size >= MOST_AT_ONCE) await Promise.race(underWay);
			if (n % EVENTS_PER_SECOND === 0) {
				await at[n / EVENTS_PER_SECOND]?.(() => Promise.all(underWay));
			}
			const { event } = await simulator.emit({ type: 'ocpp.message' }, { deliver: false });
			ids.push(event.id);
			const delivering = deliver(event.id).then((answers) => {
				responses.push(...answers);
				underWay.delete(delivering);
			});
			underWay.add(delivering);
		}
		await Promise.all(underWay);
		return { ids, responses };
	};

	const startedBy = async ({ id: workflowId }: Workflow, count: number) => {
		const executions = await world.client.waitForExecutions({ workflowId }, count, {
			timeoutMs: 4 * MINUTES,
		});
		return await Promise.all(
			executions.map(async ({ id }) => {
				const execution = await world.client.getExecution(id);
				return itemsOf(execution, TRIGGER).map(({ json }) => json.id);
			}),
		);
	};

	const expectOneRunEach = async (
		workflow: Workflow,
		{ ids, responses }: { ids: string[]; responses: DeliveryResponse[] },
	) => {
		expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
		const started = await startedBy(workflow, ids.length);
		expect(started.flat().sort()).toEqual([...ids].sort());
	};

	it('works manually, by the four steps of the specification', async () => {
		const { client } = world;
		const [first, second] = ['first', 'second'].map((name) => `whsec_${name}_${randomUUID()}`);
		if (first === undefined || second === undefined) throw new Error('two secrets');
		const credential = await client.createCredential(signingCredential(first));
		const workflow = await client.importWorkflow(startOnEvent, [credential]);
		const url = await publishAtUrl(client, workflow);
		const old = simulator.createEndpoint({ url, secret: first });

		const sent = await steadyTraffic(30, {
			// The receiver accepts both before the second endpoint exists, so nothing can be rejected.
			5: async () => {
				const both = signingCredential(second, { previousSigningSecret: first });
				await client.updateCredential(credential.id, both);
			},
			8: () => {
				simulator.createEndpoint({ url, secret: second });
			},
			16: () => {
				simulator.deleteEndpoint(old.id);
			},
			22: async (answered) => {
				// Under heavy load, the last deliveries of the old endpoint take a while to arrive.
				await answered();
				await client.updateCredential(credential.id, signingCredential(second));
			},
		});
		expect(simulator.stats.endpoints.mostAtOnce).toBe(2);
		expect(sentToBoth).toBeGreaterThan(0);
		await expectOneRunEach(workflow, sent);
		await client.deactivate(workflow.id);
		for (const { id } of [...simulator.endpoints]) simulator.deleteEndpoint(id);
	});

	it('works automatically with automatic registration', async () => {
		const { client } = world;
		const workflow = await importAutomatic(client, simulator, {
			// Every 20 seconds, with 10 seconds of both.
			options: { rotateAfterDays: 20 / 86_400, rotationGraceHours: 10 / 3600 },
		});
		await publishAtUrl(client, workflow);
		const before = simulator.endpoints.map(({ id }) => id);
		const created = simulator.stats.endpoints.created;

		const sent = await steadyTraffic(60);
		expect(simulator.endpoints.map(({ id }) => id)).not.toEqual(before);
		expect(simulator.stats.endpoints.created - created).toBeGreaterThanOrEqual(1);
		expect(simulator.stats.endpoints.mostAtOnce).toBe(2);
		expect(sentToBoth).toBeGreaterThan(0);
		await expectOneRunEach(workflow, sent);

		await client.deactivate(workflow.id);
		expect(simulator.endpoints).toEqual([]);
	});
});
