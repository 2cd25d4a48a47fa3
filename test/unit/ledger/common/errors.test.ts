import { LedgerUnavailableError } from '../../../../lib/ledger';
import { fieldOf } from '../../../../lib/shared/values';

it('the error of the ledger has a name, and one line of bounded length', () => {
	const cause = new Error('cause');
	const error = new LedgerUnavailableError(`one\ntwo${'x'.repeat(2_000)}`, { cause });
	expect(String(error)).toMatch(/^LedgerUnavailableError: one\ufffdtwox+…$/);
	expect(error.message.length).toBeLessThanOrEqual(1_000);
	expect(error.cause).toBe(cause);
});

it('a field is read of whatever was thrown', () => {
	expect(fieldOf({ code: 'EIO' }, 'code')).toBe('EIO');
	for (const thrown of [undefined, null, 'EIO', 5, {}]) {
		expect(fieldOf(thrown, 'code')).toBeUndefined();
	}
});
