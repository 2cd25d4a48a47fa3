import { cleanUpAfterEach, createWorld, letSecondsPass } from './registrations';

cleanUpAfterEach();

it('accepts deliveries of a new endpoint at once, even if the previous secret was read just before', async () => {
	const { publish, deliver, unpublish, simulator, server } = await createWorld();
	for (let edit = 0; edit < 3; edit += 1) {
		await publish();
		expect(await deliver()).toMatchObject([{ status: 200, body: '{"status":"accepted"}' }]);
		await unpublish();
	}
	expect(simulator.stats.endpoints).toEqual({ created: 3, deleted: 3, mostAtOnce: 1 });
	expect(server.started).toHaveLength(3);
});

it.each<[string[], string, string[]]>([
	[['ocpp.message'], '', ['ocpp.message']],
	[
		['ocpp.message', '__other__'],
		'site.created, asset.*',
		['asset.connectivity', 'ocpp.message', 'site.created'],
	],
])('creates an endpoint for the types %j and “%s”', async (eventTypes, otherEventTypes, events) => {
	const { publish, simulator } = await createWorld({ parameters: { eventTypes, otherEventTypes } });
	await publish();
	expect(simulator.endpoints).toMatchObject([{ events }]);
});

it('registers the URL that matches "If the Execution Fails", and replaces the endpoint when that changes', async () => {
	const { publish, deliver, simulator, server, change } = await createWorld();
	await publish();
	change({ acknowledge: 'succeeded' });
	await publish();
	expect(simulator.endpoints).toMatchObject([{ url: expect.stringMatching(/\/done$/) as string }]);
	expect(simulator.stats.endpoints).toMatchObject({ created: 2, deleted: 1 });
	await deliver();
	expect(server.started).toHaveLength(1);
	change({ acknowledge: 'stored' });
	await publish();
	expect(simulator.endpoints).toMatchObject([
		{ url: expect.stringMatching(/\/webhook$/) as string },
	]);
});

it.each([
	['x'.repeat(15), true],
	['x'.repeat(16), false],
])('reports the client secret %s as weak when publishing: %s', async (clientSecret, isWeak) => {
	const { publish, log } = await createWorld({ clientSecret });
	await publish();
	expect(/the client secret of the credential is weak/.test(log())).toBe(isWeak);
	expect(log()).not.toContain(clientSecret);
});

describe('the copy of the record in n8n’s static data', () => {
	it('lets the trigger recognise its endpoint when publishing after the ledger is lost', async () => {
		const { publish, useLedger, ledgerPath, simulator } = await createWorld();
		await publish();
		await useLedger(`${ledgerPath}-new`);
		await publish();
		expect(simulator.stats.endpoints).toEqual({ created: 1, deleted: 0, mostAtOnce: 1 });
	});

	it('is gone once the workflow is unpublished, and with it the sealed secret', async () => {
		const { publish, unpublish, staticData, simulator } = await createWorld();
		await publish();
		const { id = 'none' } = simulator.endpoints[0] ?? {};
		expect(JSON.stringify(staticData)).toContain(id);
		await unpublish();
		expect(JSON.stringify(staticData)).not.toMatch(/registration:|sealedSecret/);
	});
});

describe('credential and record are read', () => {
	it('once when publishing, next to that of the workflow, whether the endpoint is new or existed', async () => {
		const { publish, readsOf } = await createWorld();
		expect(await readsOf(publish)).toEqual({ credential: 1, ledger: 2 });
		expect(await readsOf(publish)).toEqual({ credential: 1, ledger: 2 });
	});

	it('once when unpublishing', async () => {
		const { publish, unpublish, readsOf } = await createWorld();
		await publish();
		expect(await readsOf(unpublish)).toEqual({ credential: 1, ledger: 1 });
	});

	it('once for the first delivery and not for the next one', async () => {
		const { publish, deliver, readsOf } = await createWorld();
		await publish();
		expect(await readsOf(deliver)).toEqual({ credential: 1, ledger: 1 });
		expect(await readsOf(deliver)).toEqual({ credential: 0, ledger: 0 });
	});

	it('once for a forgery, even seconds after the last read', async () => {
		const { publish, forge, readsOf } = await createWorld();
		await publish();
		expect(await readsOf(forge)).toEqual({ credential: 1, ledger: 1 });
		letSecondsPass(2);
		expect(await readsOf(forge)).toEqual({ credential: 1, ledger: 1 });
	});
});
