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

	const counting = async () => {
		const counted = { reads: 0 };
		const readCredential = async () => {
			counted.reads += 1;
			return { signingSecret: SECRET };
		};
		return { counted, server: await start({ readCredential }) };
	};

	it('are read once for many deliveries', async () => {
		const { counted, server } = await counting();
		await Promise.all(Array.from({ length: 20 }, async () => await send(server, eventOf())));
		expect(counted.reads).toBe(1);
	});

	it('are not read again for a delivery without a signature', async () => {
		const { counted, server } = await counting();
		await send(server, eventOf());
		for (let n = 0; n < 5; n += 1) await send(server, eventOf(), { 'x-webhook-signature': '' });
		expect(counted.reads).toBe(1);
	});
});
