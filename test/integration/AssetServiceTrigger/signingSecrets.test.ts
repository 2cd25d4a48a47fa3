import { eventOf, SECRET, send, start, useLedgerOfItsOwn } from './deliveries';

useLedgerOfItsOwn();

describe('the signing secrets', () => {
	// They are kept for 15 s, which a starved machine may take for a few deliveries: here no time goes by.
	beforeEach(() => {
		jest.spyOn(performance, 'now').mockReturnValue(performance.now());
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});

	it('are read once for many deliveries', async () => {
		let reads = 0;
		const server = await start({
			readCredential: async () => {
				reads += 1;
				return { signingSecret: SECRET };
			},
		});
		await Promise.all(Array.from({ length: 20 }, async () => await send(server, eventOf())));
		expect(reads).toBe(1);
	});

	it('are not read again for a delivery without a signature', async () => {
		let reads = 0;
		const server = await start({
			readCredential: async () => {
				reads += 1;
				return { signingSecret: SECRET };
			},
		});
		await send(server, eventOf());
		for (let n = 0; n < 5; n += 1) await send(server, eventOf(), { 'x-webhook-signature': '' });
		expect(reads).toBe(1);
	});
});
