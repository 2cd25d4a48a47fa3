/** The API credential on a real n8n: the HTTP Request node works with it, a wrong one says what to correct, and no secret leaks. */
import { join } from 'node:path';
import { startSimulator } from '../../../simulator';
import { type IssuedToken, Tokens } from '../../../simulator/store/tokens';
import { startHttpService } from '../../support/httpService';
import { useForEach } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { type Credential, errorOf, type Execution, itemsOf } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { assetList, httpRequest } from '../../support/nodes';
import { importAutomatic, publishAtUrl } from '../webhookLife/automatic';
import { NODE, runByHand } from './runByHand';
import { tracesOf } from './traces';

const WRONG = 'a wrong/client+secret? 0123456789';
const ASSETS = '/asset-management/v1/assets';

// n8n's most detailed log, which shows any leak by a node or a helper.
const world = useWorld(() => ({ env: { N8N_LOG_LEVEL: 'debug' } }));
const simulator = useForEach(() => startSimulator());
const issue = jest.spyOn(Tokens.prototype, 'issue');
afterEach(() => {
	expect(tracesOf([simulator.clientSecret, WRONG], world.userFolder)).toEqual([]);
});

describe('n8n’s HTTP Request node with the credential', () => {
	const listThree = async (credential: Credential): Promise<Execution> =>
		await runByHand(world, {
			...httpRequest(`${simulator.baseUrl}${ASSETS}?limit=3`, {
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'assetServiceApi',
			}),
			credentials: [credential],
		});
	const expectThree = (execution: Execution): void => {
		expect(errorOf(execution)).toBeUndefined();
		const items = [expect.anything(), expect.anything(), expect.anything()];
		expect(itemsOf(execution, NODE)).toMatchObject([{ json: { data: { hasMore: true, items } } }]);
	};

	it('lists assets, with one token for several executions and a new one after it is revoked', async () => {
		const credential = await world.client.createCredential(apiCredential(simulator));
		for (let run = 0; run < 2; run += 1) expectThree(await listThree(credential));
		expect(simulator.stats.tokenRequests).toBe(1);
		simulator.revokeTokens();
		expectThree(await listThree(credential));
		expect(simulator.stats.tokenRequests).toBe(2);
	});
});

it('leaves no secret in logs, items, executions, databases, the ledger or the package', async () => {
	const { client, userFolder, server, owner } = world;
	const content = apiCredential(simulator);
	expect(await client.testCredential(content)).toMatchObject({ status: 'OK' });
	const credential = await client.createCredential(content);
	expect(await runByHand(world, assetList(credential))).toMatchObject({ status: 'success' });
	const wrong = await client.createCredential(apiCredential(simulator, { clientSecret: WRONG }));
	expect(await runByHand(world, assetList(wrong))).toMatchObject({ status: 'error' });

	// A service that rejects the request and repeats the token in its response.
	const refuser = await startHttpService(({ headers }) => ({
		status: 400,
		body: { message: `nothing for ${headers.authorization ?? ''}` },
	}));
	const elsewhere = apiCredential(simulator, { baseUrl: refuser.url });
	const refused = await client.createCredential(elsewhere);
	const failed = await runByHand(world, assetList(refused));
	await refuser.stop();
	expect(errorOf(failed)?.message).toContain('nothing for');

	const options = { includeDelivery: true };
	const workflow = await importAutomatic(client, simulator, { options });
	const url = await publishAtUrl(client, workflow);
	const { event, responses } = await simulator.emit();
	expect(responses).toMatchObject([{ status: 200 }]);
	expect((await simulator.deliver(url, 'another secret', event)).status).toBe(401);
	await client.waitForExecutions({ workflowId: workflow.id }, 1);

	const issued = issue.mock.results.map(({ value }) => value as IssuedToken | undefined);
	const tokens = issued.flatMap((token) => (token ? [token.accessToken] : []));
	expect(tokens).toContain(refuser.requests[0]?.headers.authorization?.replace('Bearer ', ''));
	const signing = simulator.endpoints.map(({ secret }) => secret);
	expect(signing).toHaveLength(1);
	expect(tracesOf([...tokens, ...signing, owner.password], userFolder)).toEqual([]);
	expect(JSON.stringify(await client.getWorkflow(workflow.id))).not.toContain(signing[0]);

	// Proof that the search works: it finds the event in an execution, the reason in the log, the name in the package.
	const known = tracesOf([event.id, 'signature_mismatch', 'n8n-nodes-asset-service'], userFolder);
	expect(known).toContain(`0 in ${join('.n8n', 'database.sqlite')}: execution_data`);
	expect(known.join()).toMatch(/1 in n8n-start-\d+\.log.*2 in .*package\.json/s);
	expect(server.logs()).toMatch(/debug/);
});
