import { join } from 'node:path';
import { cleanUpAfterEach, createWorld, CREDENTIAL } from './registrations';

cleanUpAfterEach();

describe('a delivery that cannot be checked gets 503, and the log says what to do', () => {
	it('if the ledger with the secret cannot be opened', async () => {
		const { publish, useLedger, ledgerPath, forge, log } = await createWorld();
		await publish();
		await useLedger(join(ledgerPath, 'not-a-folder', 'file'));
		expect(await forge()).toBe(503);
		expect(log()).toMatch(/ledger_unavailable;.*not-a-folder/);
	});

	it.each([
		['automatic', CREDENTIAL],
		['manual', 'assetServiceSigningSecretApi'],
	] as const)("if n8n's database is down, with %s registration", async (registration, type) => {
		const world = await createWorld({ registration, credentialTypes: [type] });
		world.failures.credential = new Error('connect ECONNREFUSED 10.1.2.3:5432');
		expect(await world.forge()).toBe(503);
		expect(world.log()).toMatch(
			/not_configured;.*could not be read.*n8n's database can be reached/,
		);
		expect(world.log()).not.toContain('ECONNREFUSED');
	});

	it.each([
		['automatic', /not_configured; set the API credential of the node/],
		['manual', /not_configured; set the signing secret/],
	] as const)(
		'if the node has no credential, with %s registration',
		async (registration, advice) => {
			const { forge, log } = await createWorld({ registration, credentialTypes: [] });
			expect(await forge()).toBe(503);
			expect(log()).toMatch(advice);
		},
	);
});
