/** What an incident of several faults says, whatever the order in which they are read. */
import fc from 'fast-check';
import type { Fault, Incident } from '../../../lib/station/common/state';
import { countFault, foldedFault } from '../../../lib/station/fold/faults';

const spelling = fc.constantFrom('GroundFailure', 'groundfailure', 'GROUNDFAILURE', 'OtherError');
const faults = fc
	.array(spelling, { minLength: 2, maxLength: 8 })
	.map((codes) =>
		codes.map((error, n): Fault => ({ t: n, id: `e${n}`, connector: `${n}`, d: { error } })),
	);

function counted(all: readonly Fault[]): Incident {
	const incident: Incident = { id: 'i', since: 0, reported: 'opened', from: 'e0' };
	for (const fault of all) countFault(incident, foldedFault(fault));
	return incident;
}

it('a code keeps one spelling, whichever fault is read first', () => {
	const inAnyOrder = faults.chain((all) =>
		fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
	);
	fc.assert(
		fc.property(inAnyOrder, ([all, shuffled]) => {
			expect(counted(shuffled)).toEqual(counted(all));
		}),
	);
	expect(counted([]).errors).toBeUndefined();
});
