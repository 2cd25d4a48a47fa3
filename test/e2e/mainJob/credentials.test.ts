/** The test of the API credential on a real n8n: it names the field to correct, and gives no secret out. */
import { startSimulator, type Simulator } from '../../../simulator';
import { startHttpService } from '../../support/httpService';
import { apiCredential } from '../../support/n8n/credentials';
import { createWorld, type World } from '../../support/n8n/world';
import { freePort } from '../../support/ports';
import { tracesOf } from './traces';

const MINUTES = 60_000;
jest.setTimeout(3 * MINUTES);
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
