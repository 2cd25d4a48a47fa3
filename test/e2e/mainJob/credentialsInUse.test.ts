/** The API credential in use on a real n8n: the HTTP Request node works with it, a wrong one says what to correct, and no secret gets out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { startSimulator, type Simulator } from '../../../simulator';
import { startHttpService } from '../../support/httpService';
import { type Credential, errorOf, type Execution, itemsOf } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { createWorld, type World } from '../../support/n8n/world';
import { assetList, httpRequest } from '../../support/nodes';
import { NODE, runByHand } from './runByHand';
import { tracesOf } from './traces';
import { publishTrigger } from './trigger';

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

const ASSETS = '/asset-management/v1/assets';

/** n8n's own node for requests, with the credential of this package. */
const requestWith = async (credential: Credential, path: string): Promise<Execution> =>
	await runByHand(world, {
		...httpRequest(simulator.baseUrl + path, {
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'assetServiceApi',
		}),
		credentials: [credential],
	});

describe('n8n’s HTTP Request node with the credential', () => {
	const listThree = async (credential: Credential) =>
		await requestWith(credential, `${ASSETS}?limit=3`);
	const assetsIn = (execution: Execution) => {
		expect(errorOf(execution)).toBeUndefined();
		return itemsOf(execution, NODE).map(({ json }) => json);
	};
	const threeAssets = [
		{ data: { hasMore: true, items: [expect.anything(), expect.anything(), expect.anything()] } },
	];

	it('lists assets, with one token for several runs, and a new one when it is revoked', async () => {
		const credential = await world.client.createCredential(apiCredential(simulator));
		expect(assetsIn(await listThree(credential))).toEqual(threeAssets);
		expect(assetsIn(await listThree(credential))).toEqual(threeAssets);
		expect(simulator.stats.tokenRequests).toBe(1);
		simulator.revokeTokens();
		expect(assetsIn(await listThree(credential))).toEqual(threeAssets);
		expect(simulator.stats.tokenRequests).toBe(2);
	});

	it('does not hide a wrong client secret by the token that it has stored', async () => {
		const { client } = world;
		const credential = await client.createCredential(apiCredential(simulator));
		expect(assetsIn(await listThree(credential))).toEqual(threeAssets);

		const wrong = apiCredential(simulator, { clientSecret: WRONG });
		expect(await client.testCredential({ ...wrong, id: credential.id })).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('Client Secret') as string,
		});
		await client.updateCredential(credential.id, wrong);
		const execution = await listThree(credential);
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
		const execution = await runByHand(world, assetList(credential, { returnAll: true }));
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
	expect(await requestWith(credential, ASSETS)).toMatchObject({ status: 'success' });
	expect(await runByHand(world, assetList(credential))).toMatchObject({ status: 'success' });

	// A service that refuses and repeats the token that it was sent.
	const refuser = await startHttpService(({ headers }) => ({
		status: 400,
		body: { message: `nothing for ${headers.authorization ?? ''}` },
	}));
	const refused = await client.createCredential({
		...content,
		data: { ...content.data, baseUrl: refuser.url },
	});
	const failed = await runByHand(world, assetList(refused));
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
