/** Every response that a delivery can get on a real n8n, and whether the workflow starts. */
import { startSimulator, type Tamper } from '../../../simulator';
import { useForEach } from '../../support/lifetime';
import { apiCredential, signingCredential } from '../../support/n8n/credentials';
import { errorOf, itemsOf } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { PublicationFailure } from '../../support/n8n/workflows';
import { eventTrigger, POLL_TRIGGER_TYPE, TRIGGER } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';
import { answered, deliver, newEvent, post, refusalsIn } from './deliveries';
import { tracesOf } from './traces';
import { publishTrigger } from './trigger';

const world = useWorld();
const simulator = useForEach(() => startSimulator());
afterEach(() => {
	const secrets = simulator.endpoints.map(({ secret }) => secret);
	expect(tracesOf(secrets, world.userFolder)).toEqual([]);
});

it('responds with 401 to wrong signatures and to timestamps too old or in the future, then accepts the true event', async () => {
	const trigger = await publishTrigger(world, simulator);
	const reasons: Record<Exclude<Tamper, 'none'>, string> = {
		unsigned: 'signature_missing',
		truncated: 'signature_malformed',
		forged: 'signature_mismatch',
		altered: 'signature_mismatch',
		stale: 'timestamp_outside_tolerance',
		future: 'timestamp_outside_tolerance',
	};
	const event = newEvent();
	for (const tamper of Object.keys(reasons) as Tamper[]) {
		expect([tamper, await deliver(simulator, trigger, event, tamper)]).toEqual([
			tamper,
			answered(401, 'rejected'),
		]);
	}
	const expected = Object.values(reasons).sort();
	expect(await refusalsIn(world, trigger, expected.length)).toEqual(expected);
	expect(await trigger.startedWith()).toEqual([]);

	expect(await deliver(simulator, trigger, event)).toEqual(answered(200, 'accepted'));
	expect(await trigger.startedWith()).toEqual([event]);
});

it('responds with 400 to a signed body that is not an event', async () => {
	const trigger = await publishTrigger(world, simulator);
	const bodies = [
		...['{}', '{"type":"ocpp.message"}', '[{"id":"a"}]', '"a"', '7', 'null'],
		...['""', 'null', 'true', '["a"]', '1.5', '9007199254740993'].map((id) => `{"id":${id}}`),
	];
	for (const body of bodies) {
		expect([body, await post(trigger, body)]).toEqual([body, answered(400, 'invalid')]);
	}
	for (const body of ['', 'id=a', '{"id":"a"']) {
		expect([body, await post(trigger, body, 'text/plain')]).toEqual([
			body,
			answered(400, 'invalid'),
		]);
	}
	// n8n itself refuses invalid JSON with a JSON content type, before the node sees it.
	expect((await post(trigger, '{"id":"a"')).status).toBe(422);
	const expected = Array<string>(bodies.length + 3).fill('event_invalid');
	expect(await refusalsIn(world, trigger, expected.length)).toEqual(expected);
	expect(await trigger.startedWith()).toEqual([]);
});

it('names the form of the body if n8n has parsed it as a form', async () => {
	const trigger = await publishTrigger(world, simulator);
	const part = 'Content-Disposition: form-data; name="event"\r\n\r\n{"id":"a"}';
	const body = `--x\r\n${part}\r\n--x--\r\n`;
	const answer = await post(trigger, body, 'multipart/form-data; boundary=x');
	expect(answer).toEqual(answered(401, 'rejected'));
	expect(await refusalsIn(world, trigger, 1)).toEqual(['event_invalid']);
	expect(world.server.logs()).toContain('; the body is multipart/form-data,');
	expect(await trigger.startedWith()).toEqual([]);
});

it('accepts an event in any notation, by the signed bytes', async () => {
	const trigger = await publishTrigger(world, simulator);
	const bodies = [
		'{"id":7,"type":"a"}',
		'\r\n{ "type" : "\\u0061", "id":\t"caf\\u00e9 \\"1\\"" , "n": 1.0e2 }\n',
		'{"id":"ünï","emoji":"🔌","nested":{"list":[1,[2,{"deep":null}]]}}',
	];
	for (const body of bodies) {
		expect(await post(trigger, body)).toEqual(answered(200, 'accepted'));
	}
	expect(await post(trigger, '{"id":"8"}', 'text/plain')).toEqual(answered(200, 'accepted'));
	// The number and the text are the same event.
	expect(await post(trigger, '{"id":"7"}')).toEqual(answered(200, 'duplicate'));
	const started = await trigger.startedWith();
	const delivered = [...bodies, '{"id":"8"}'].map((body): unknown => JSON.parse(body));
	expect(started).toHaveLength(delivered.length);
	expect(started).toEqual(expect.arrayContaining(delivered));
});

it('cannot be published in n8n’s engine 2.0, with either trigger, and says what to choose instead', async () => {
	const { client } = world;
	const signing = await client.createCredential(signingCredential('whsec_0123456789abcdef'));
	const api = await client.createCredential(apiCredential(simulator));
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const poll = { type: POLL_TRIGGER_TYPE, typeVersion: 1, credentials: [api] };
	const content = buildWorkflow({
		nodes: {
			[TRIGGER]: eventTrigger({}, [signing]),
			Poll: { ...poll, parameters: { pollTimes } },
		},
	});
	const settings = { ...content.settings, engineType: 'v2' };
	const { id } = await client.createWorkflow({ ...content, settings });
	const failure: unknown = await client.activate(id).catch((error: unknown) => error);
	expect(failure).toBeInstanceOf(PublicationFailure);
	const { messages } = failure as PublicationFailure;
	expect(messages).toHaveLength(2);
	for (const message of messages) {
		expect(message).toContain('Select the default engine in the workflow settings');
	}

	await client.updateWorkflow(id, { settings: { ...settings, engineType: 'v1' } });
	await client.activate(id);
	await client.deactivate(id);
});

it('also checks signatures in test mode, shows the reason for a rejection, and starts the workflow for an event seen before', async () => {
	const { client } = world;
	const trigger = await publishTrigger(world, simulator);
	const event = newEvent();
	expect(await deliver(simulator, trigger, event)).toEqual(answered(200, 'accepted'));
	await client.listenForTestEvent(trigger.workflow.id, TRIGGER);
	const testUrl = await client.webhookUrl(trigger.workflow, TRIGGER, { test: true });
	const test = { ...trigger, url: testUrl };
	expect(await deliver(simulator, test, event, 'forged')).toEqual(answered(401, 'rejected'));
	const workflowId = trigger.workflow.id;
	const [refused] = await client.waitForExecutions({ workflowId, status: 'error' }, 1);
	const refusal = errorOf(await client.getExecution(refused?.id ?? ''));
	expect(refusal).toMatchObject({ message: 'Delivery rejected: its signature does not match' });
	await client.listenForTestEvent(workflowId, TRIGGER);
	expect((await deliver(simulator, test, event)).status).toBe(200);
	const succeeded = await client.waitForExecutions({ workflowId, status: 'success' }, 2);
	const started = succeeded.map(async ({ id }) => itemsOf(await client.getExecution(id), TRIGGER));
	expect((await Promise.all(started)).flat().map(({ json }) => json)).toEqual([event, event]);
});
