/** Automatic registration at a service that signs in another way than the default, or sends other events: the options of the trigger and its credential say how. */
import { createHmac } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';
import type { DeliveredEvent, Sign } from '../../../simulator';
import { accepted, cleanUpAfterEach, createWorld } from './registrations';

cleanUpAfterEach();

const standardWebhooks: Sign = ({ secret, deliveryId, timestamp, body }) => ({
	'webhook-id': deliveryId,
	'webhook-timestamp': String(timestamp),
	'webhook-signature': new Webhook(secret).sign(deliveryId, new Date(timestamp * 1000), body),
});

const timestampedIn =
	(header: string): Sign =>
	({ secret, timestamp, body }) => {
		const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
		return { [header]: `t=${timestamp},v1=${digest}` };
	};

const custom: Sign = ({ secret, timestamp, body }) => ({
	'x-time': String(timestamp),
	'x-sign': `v0=${createHmac('sha512', secret).update(`v0:${timestamp}:${body}`).digest('base64')}`,
});
const CUSTOM = {
	scheme: 'custom',
	signatureHeader: 'X-Sign',
	algorithm: 'sha512',
	encoding: 'base64',
	timestampHeader: 'X-Time',
	signedPayload: 'v0:{timestamp}:{body}',
	signaturePrefix: 'v0=',
};

it.each<[string, Sign, INodeParameters]>([
	['Standard Webhooks', standardWebhooks, { scheme: 'standardWebhooks' }],
	['another header', timestampedIn('X-Sign'), { signatureHeader: 'X-Sign' }],
	['a scheme of its own', custom, CUSTOM],
])('accepts deliveries signed by %s, and rejects forged ones', async (_name, sign, options) => {
	const { publish, deliver, forge, server, change } = await createWorld({
		sign,
		parameters: { options },
	});
	await publish();
	expect(await deliver()).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
	expect(await forge()).toBe(401);
	expect(server.started).toHaveLength(1);
	// Not by the scheme that it knows from the deliveries before.
	change({ options: { signatureHeader: 'X-Another' } });
	await publish();
	expect(await deliver()).toMatchObject([{ status: 401 }]);
});

it('verifies both endpoints of a rotation by the scheme', async () => {
	const options = { ...CUSTOM, rotateAfterDays: 1e-6, rotationGraceHours: 1 };
	const world = await createWorld({ sign: custom, parameters: { options } });
	await world.publish();
	await accepted(world);
	const { simulator, deliver } = world;
	while (simulator.endpoints.length < 2) await deliver();
	expect(await deliver()).toMatchObject([{ status: 200 }, { status: 200 }]);
});

it.each<[INodeParameters, RegExp]>([
	[{ ...CUSTOM, timestampHeader: '' }, /'Timestamp Header' is empty/],
	[{ ...CUSTOM, signedPayload: '{timestamp}' }, /'Signed Payload' does not contain \{body\}/],
	[{ signatureHeader: 'X Sign' }, /'Signature Header' is not a header name/],
])('creates no endpoint whose deliveries could not be verified: %j', async (options, problem) => {
	const { publish, simulator } = await createWorld({ parameters: { options } });
	await expect(publish()).rejects.toThrow(problem);
	expect(simulator.stats.endpoints.created).toBe(0);
});

it('keeps no endpoint whose secret does not fit the scheme, and says so', async () => {
	const { publish, simulator } = await createWorld({
		parameters: { options: { scheme: 'standardWebhooks' } },
	});
	const path = '/webhooks/v1/webhook-endpoints';
	const body = { data: { id: 'we_1', secret: 'not base64!' } };
	simulator.faults.add({ method: 'POST', path, status: 201, body });
	await expect(publish()).rejects.toMatchObject({
		message: expect.stringMatching(
			/^Endpoint we_1 created, but its signing secret does not fit 'Scheme' of the trigger\. Select the scheme .* was deleted again\.$/,
		) as string,
	});
	const deletions = simulator.stats.requests.filter(({ method }) => method === 'DELETE');
	expect(deletions).toMatchObject([{ path: `${path}/we_1` }]);
});

it('says where to correct the scheme if a delivery of the endpoint cannot be verified', async () => {
	const { publish, deliver, log } = await createWorld({ sign: timestampedIn('X-Other') });
	await publish();
	expect(await deliver()).toMatchObject([{ status: 401 }]);
	expect(log()).toMatch(/signature_missing; .*'Signature Header' of the trigger/);
});

describe('a service whose events have their fields elsewhere', () => {
	const form = {
		deliveredEvent: ({ id, type, createdAt, data }: DeliveredEvent) => ({
			meta: { uid: id, at: createdAt },
			kind: type,
			body: data,
		}),
	};
	const eventPaths = { id: 'meta.uid', type: 'kind', time: 'meta.at', payload: 'body' };
	const worldWith = async (paths: IDataObject, sign?: Sign, options: IDataObject = {}) =>
		await createWorld({
			form,
			serviceInterface: { eventPaths: paths },
			parameters: { options: options as INodeParameters, eventTypes: ['ocpp.*'] },
			...(sign && { sign }),
		});

	it.each<[string, Sign | undefined, IDataObject]>([
		['the default scheme', undefined, {}],
		[
			'Standard Webhooks, whose deliveries have an ID',
			standardWebhooks,
			{ scheme: 'standardWebhooks' },
		],
	])('starts once for each event, with %s', async (_name, sign, options) => {
		const { publish, simulator, server } = await worldWith(eventPaths, sign, options);
		await publish();
		const { event, responses } = await simulator.emit({ type: 'ocpp.message' });
		expect(responses).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
		const again = await simulator.emit({ id: event.id });
		expect(again.responses).toMatchObject([{ status: 200, body: '{"status":"duplicate"}' }]);
		const [{ secret } = { secret: '' }] = simulator.endpoints;
		const other = await simulator.deliver(server.url, secret, {
			...event,
			id: 'other',
			type: 'other',
		});
		expect(other).toMatchObject({ status: 200, body: '{"status":"ignored"}' });
		expect(server.started).toEqual([{ ...event, meta: { uid: event.id, at: event.createdAt } }]);
	});

	it('rejects events that have no ID there, and names the place', async () => {
		const world = await worldWith({ ...eventPaths, id: 'meta.nothing' });
		await world.publish();
		expect(await world.deliver()).toMatchObject([{ status: 400 }]);
		expect(world.log()).toContain("it has no 'meta.nothing'");
	});
});
