/** The API credential on a real n8n: its test names the field to correct, the HTTP Request node works with it, and no secret gets out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { startSimulator, type Simulator } from '../../../simulator';
import { startHttpService } from '../../support/httpService';
import { type Credential, errorOf, type Execution, itemsOf } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import type { WorkflowContent } from '../../support/n8n/workflows';
import { createWorld, type World } from '../../support/n8n/world';
import { freePort } from '../../support/ports';
import { tracesOf } from './traces';
import {
	HTTP_REQUEST,
	httpRequestWorkflow,
	listWorkflow,
	publishTrigger,
	runByHand,
} from './workflows';

const MINUTES = 60_000;
jest.setTimeout(3 * MINUTES);
const Token = z.looseObject({ access_token: z.string() });
const WRONG = 'a-wrong-client-secret-0123456789';

let world: World;
let simulator: Simulator;

beforeAll(async () => {
	// n8n's most talkative log: what a node or a helper lets slip shows there.
	world = await createWorld({ env: { N8N_LOG_LEVEL: 'debug' } });
}, 20 * MINUTES);
beforeEach(async () => {
	simulator = await startSimulator();
});
afterEach(async () => {
	await simulator.stop();
	expect(tracesOf([simulator.clientSecret, WRONG], world.userFolder)).toEqual([]);
});
afterAll(async () => {
	await world.dispose();
});

/** Runs the credential's test with these values in the place of the right ones; no secret may be in its answer. */
async function test(changes: Record<string, string> = {}) {
	const content = apiCredential(simulator, changes);
	const answer = await world.client.testCredential(content);
	for (const secret of [simulator.clientSecret, WRONG]) {
		expect(JSON.stringify(answer)).not.toContain(secret);
	}
	return answer;
}

describe('the test of the API credential', () => {
	it('is passed with the right values, with and without /oauth/token, and fetches a fresh token each time', async () => {
		expect(await test()).toEqual({
			status: 'OK',
			message: 'Connection successful: a new token works and assets can be listed.',
		});
		const authUrl = `${simulator.authUrl}/oauth/token`;
		expect(await test({ authUrl, baseUrl: `${simulator.baseUrl}/` })).toMatchObject({
			status: 'OK',
		});
		expect(simulator.stats.tokenRequests).toBe(2);
	});

	it.each<[string, RegExp, (right: Simulator) => Record<string, string>]>([
		[
			'a wrong client secret',
			/rejected the Client ID or the Client Secret/,
			() => ({ clientSecret: WRONG }),
		],
		[
			'an unknown client ID',
			/rejected the Client ID or the Client Secret/,
			() => ({ clientId: 'client_unknown' }),
		],
		['a wrong audience', /Check Audience/, () => ({ audience: 'https://other.example' })],
		[
			'a base URL with a path',
			/^Base URL is probably not/,
			({ baseUrl }) => ({ baseUrl: `${baseUrl}/nowhere` }),
		],
		[
			'an auth URL with a path',
			/^Auth URL is probably not/,
			({ authUrl }) => ({ authUrl: `${authUrl}/nowhere` }),
		],
		[
			'a base URL without https',
			/^Base URL is a plain http/,
			() => ({ baseUrl: 'http://api.example.com' }),
		],
		[
			'an auth URL that is none',
			/^Auth URL is not an address/,
			() => ({ authUrl: 'auth.example.com' }),
		],
		['an empty client secret', /^Client Secret is empty/, () => ({ clientSecret: '' })],
	])('names the field for %s', async (_what, field, changes) => {
		const answer = await test(changes(simulator));
		expect(answer).toEqual({ status: 'Error', message: expect.stringMatching(field) as string });
	});

	it('names the address that nothing listens on, and the one where something else answers', async () => {
		const nobody = `http://127.0.0.1:${await freePort()}`;
		const other = await startHttpService(() => ({
			headers: { 'content-type': 'text/html' },
			body: '<h1>Welcome</h1>',
		}));
		try {
			for (const address of [nobody, other.url]) {
				for (const [field, label] of Object.entries({
					baseUrl: 'Base URL',
					authUrl: 'Auth URL',
				})) {
					const { status, message } = await test({ [field]: address });
					expect([status, message]).toEqual(['Error', expect.stringContaining(label)]);
					expect(message).toContain(address);
				}
			}
		} finally {
			await other.stop();
		}
	});

	it('says that the API client lacks the scope', async () => {
		const client = simulator.addClient({ scopes: ['webhooks:read'] });
		const { status, message } = await test(client);
		expect([status, message]).toEqual([
			'Error',
			expect.stringMatching(/lacks the scope to list assets/),
		]);
		expect(message).not.toContain(client.clientSecret);
	});

	it('leaves the secret out where the service repeats it', async () => {
		const { clientSecret } = simulator;
		const error = { error: 'invalid_client', error_description: `no client has ${clientSecret}` };
		simulator.faults.add({ path: '/oauth/token', status: 401, body: error });
		expect(await test()).toEqual({
			status: 'Error',
			message: expect.stringMatching(/Client Secret/) as string,
		});
	});
});

const runWith = async (credential: Credential, content: WorkflowContent): Promise<Execution> =>
	await runByHand(world, content, credential);

describe('n8n’s HTTP Request node with the credential', () => {
	const listThree = () =>
		httpRequestWorkflow(`${simulator.baseUrl}/asset-management/v1/assets?limit=3`);
	const assetsIn = (execution: Execution) => {
		expect(errorOf(execution)).toBeUndefined();
		return itemsOf(execution, HTTP_REQUEST).map(({ json }) => json);
	};
	const threeAssets = [
		{ data: { hasMore: true, items: [expect.anything(), expect.anything(), expect.anything()] } },
	];

	it('lists assets, with one token for several runs, and a new one when it is revoked', async () => {
		const credential = await world.client.createCredential(apiCredential(simulator));
		expect(assetsIn(await runWith(credential, listThree()))).toEqual(threeAssets);
		expect(assetsIn(await runWith(credential, listThree()))).toEqual(threeAssets);
		expect(simulator.stats.tokenRequests).toBe(1);
		simulator.revokeTokens();
		expect(assetsIn(await runWith(credential, listThree()))).toEqual(threeAssets);
		expect(simulator.stats.tokenRequests).toBe(2);
	});

	it('does not hide a wrong client secret by the token that it has stored', async () => {
		const { client } = world;
		const credential = await client.createCredential(apiCredential(simulator));
		expect(assetsIn(await runWith(credential, listThree()))).toEqual(threeAssets);

		const wrong = apiCredential(simulator, { clientSecret: WRONG });
		expect(await client.testCredential({ ...wrong, id: credential.id })).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('Client Secret') as string,
		});
		await client.updateCredential(credential.id, wrong);
		const execution = await runWith(credential, listThree());
		expect(execution.status).toBe('error');
		expect(JSON.stringify(errorOf(execution))).toContain('Client Secret');
		expect(JSON.stringify(execution)).not.toContain(WRONG);
	});
});

describe('the action node with a wrong credential', () => {
	it.each([
		['clientSecret', WRONG, /Client Secret/],
		['audience', 'https://other.example', /Audience/],
		['baseUrl', 'http://127.0.0.1:1', /Base URL/],
	])('fails with the field to correct: %s', async (field, value, label) => {
		const content = apiCredential(simulator, { [field]: value });
		const credential = await world.client.createCredential(content);
		const execution = await runWith(credential, listWorkflow({ returnAll: true }));
		expect(execution.status).toBe('error');
		const { message = '', description = '' } = errorOf(execution) ?? {};
		expect(`${message} ${description}`).toMatch(label);
		expect(JSON.stringify(execution)).not.toContain(WRONG);
	});
});

it('keeps no client secret, signing secret or access token in n8n’s logs, executions, files and databases', async () => {
	const { client, userFolder, server } = world;
	const tokens: string[] = [];
	const tokenRoute = await startHttpService(async ({ path, body }) => {
		const headers = { 'content-type': 'application/json' };
		const response = await fetch(simulator.authUrl + path, { method: 'POST', headers, body });
		const answer = Token.parse(await response.json());
		tokens.push(answer.access_token);
		return { body: answer };
	});
	const content = apiCredential(simulator, { authUrl: tokenRoute.url });
	expect(await client.testCredential(content)).toMatchObject({ status: 'OK' });
	const credential = await client.createCredential(content);
	const list = httpRequestWorkflow(`${simulator.baseUrl}/asset-management/v1/assets`);
	expect(await runWith(credential, list)).toMatchObject({ status: 'success' });
	expect(await runWith(credential, listWorkflow({}))).toMatchObject({ status: 'success' });

	// A service that refuses and repeats the token that it was sent.
	const refuser = await startHttpService(({ headers }) => ({
		status: 400,
		body: { message: `nothing for ${headers.authorization ?? ''}` },
	}));
	const refused = await client.createCredential({
		...content,
		data: { ...content.data, baseUrl: refuser.url },
	});
	const failed = await runWith(refused, listWorkflow({}));
	expect(tokens).toContain(refuser.requests[0]?.headers.authorization?.replace('Bearer ', ''));
	await refuser.stop();
	await tokenRoute.stop();
	expect(errorOf(failed)?.message).toContain('nothing for');

	const trigger = await publishTrigger(world, simulator, {
		options: { includeDelivery: true },
	});
	const { event, responses } = await simulator.emit();
	expect(responses).toMatchObject([{ status: 200 }]);
	await simulator.deliver(trigger.url, trigger.endpoint.secret, event, 'forged');
	expect(await trigger.startedWith()).toHaveLength(1);

	expect(tokens.length).toBeGreaterThan(1);
	const secrets = [simulator.clientSecret, trigger.endpoint.secret, ...tokens];
	expect(tracesOf(secrets, userFolder)).toEqual([]);

	// The search finds what is there: the event in its execution, the refusal in the log.
	expect(tracesOf([event.id], userFolder)).toContain(
		`0 in ${join('.n8n', 'database.sqlite')}: execution_data`,
	);
	expect(tracesOf(['signature_mismatch'], userFolder)).toContain(
		`0 in n8n-start-${server.port}.log`,
	);
	const log = readFileSync(join(userFolder, `n8n-start-${server.port}.log`), 'utf8');
	expect(log).toMatch(/debug/);
});
