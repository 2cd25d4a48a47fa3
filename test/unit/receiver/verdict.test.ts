import { refused } from '../../../lib/receiver/verdict';

it.each([
	['signature_mismatch', /signing secret of this endpoint/],
	['timestamp_outside_tolerance', /check the clock/],
	['not_configured', /set the signing secret/],
	['event_invalid', /not a JSON object/],
	['busy', /delivers the event again/],
] as const)('a rejection as %s says what to do, unless there is more to say', (reason, advice) => {
	expect(String(refused(reason).log?.detail)).toMatch(advice);
	expect(refused(reason, 'more').log).toEqual({ reason, detail: 'more' });
});
