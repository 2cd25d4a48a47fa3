import { REASONS, UNMET_ADVICE } from '../../../lib/receiver';
import { detailOf } from '../../../lib/receiver/reasons';

/** The fields on the screen that a text names. */
const fieldsIn = (text: string) => [...text.matchAll(/'([^']+)'/g)].map(([, field = '']) => field);

type RejectionReason = keyof typeof REASONS;

/** The fields whose value can be the cause, by reason. */
const FIELDS: Readonly<Record<RejectionReason, readonly string[]>> = {
	signature_missing: ['Signature Header'],
	signature_malformed: ['Scheme'],
	signature_mismatch: [],
	timestamp_outside_tolerance: [],
	event_invalid: [],
	event_too_large: [],
	not_configured: [],
	ledger_unavailable: [],
	busy: [],
	ignored: ['Trigger On'],
};

it.each(Object.entries(FIELDS))('the advice for %s names only the fields %j', (reason, fields) => {
	expect(fieldsIn(REASONS[reason as RejectionReason].advice)).toEqual(fields);
	expect(
		fieldsIn(REASONS[reason as RejectionReason].problem).filter((each) => !fields.includes(each)),
	).toEqual([]);
});

it('the advice for an event of a wanted type is about the conditions', () => {
	expect(fieldsIn(UNMET_ADVICE)).toEqual(['Conditions']);
});

it.each([
	[{}, REASONS.busy.advice],
	[{ advice: 'wait' }, 'wait'],
	[{ problem: 'it is late', advice: 'wait' }, 'it is late: wait'],
	[{ problem: 'It is late.', advice: 'wait' }, 'It is late. Wait.'],
	[{ problem: 'it is late' }, `it is late: ${REASONS.busy.advice}`],
])('the cause %j reads in the log: %s', (cause, text) => {
	expect(detailOf('busy', cause)).toBe(text);
});
