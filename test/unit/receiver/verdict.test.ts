import { accepted, refused } from '../../../lib/receiver/verdict';

describe('a refusal', () => {
	it.each([
		['signature_missing', 401, undefined],
		['signature_malformed', 401, undefined],
		['signature_mismatch', 401, /signing secret of this endpoint/],
		['timestamp_outside_tolerance', 401, /check the clock/],
		['event_invalid', 400, undefined],
		['not_configured', 503, /set the signing secret/],
		['ledger_unavailable', 503, undefined],
		['busy', 503, undefined],
	] as const)(
		'as %s is answered with %d, and the log says what to do',
		(reason, status, advice) => {
			const { answer, log } = refused(reason);
			expect(answer.status).toBe(status);
			expect(log?.reason).toBe(reason);
			if (advice === undefined) expect(log?.detail).toBeUndefined();
			else expect(log?.detail).toMatch(advice);
			expect(refused(reason, 'more').log).toEqual({ reason, detail: 'more' });
		},
	);
});

it('an event that went with another one is acknowledged', () => {
	const answer = { status: 200, body: { status: 'accepted' } };
	expect(accepted).toEqual({ start: false, answer });
});
