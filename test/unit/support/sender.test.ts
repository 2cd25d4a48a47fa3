import { expectAcknowledged } from '../../support/expectations';
import { startHttpService } from '../../support/httpService';
import { isAcknowledged, startSender } from '../../support/sender';

describe('an event', () => {
	it.each([
		[200, undefined, true],
		[204, undefined, true],
		[200, 'the answer broke off', false],
		[0, 'ECONNREFUSED', false],
		[302, undefined, false],
		[503, undefined, false],
	])('answered %s (%s) is acknowledged: %s', (status, error, acknowledged) => {
		expect(isAcknowledged({ status, error })).toBe(acknowledged);
	});

	it('is sent again until it is acknowledged, which counts only in the words of the trigger', async () => {
		const answers = [{ status: 503 }, { status: 200, body: 'n8n is starting up' }];
		const n8n = await startHttpService(() => answers.shift());
		const sender = await startSender({ urls: [n8n.url], secret: 'whsec_secret', seed: 1 });
		const [event] = sender.events(1);
		if (!event) throw new Error('There is no event.');
		const sending = await sender.deliver(event);
		await Promise.all([sender.stop(), n8n.stop()]);
		expect(sending.attempts.map(({ status }) => status)).toEqual([503, 200]);
		expect(() => {
			expectAcknowledged([sending]);
		}).toThrow();
	});
});
