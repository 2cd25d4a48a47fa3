/** What Simplify shows of events of both OCPP versions. */
import { flattener, LISTS } from '../../../../lib/service';
import { sampleEvents } from '../../../../scripts/schemas/sampleEvents';

const simple = flattener(LISTS.event.fields);
const samples = sampleEvents();

/** As the list shows it, without what all events have. */
function shown(title: string) {
	const { id, type: eventType, createdAt, data: payload } = samples.get(title) ?? {};
	const { status, errorCode, protocol } = simple({ id, eventType, createdAt, payload });
	return { protocol, status, errorCode };
}

it.each([
	['Status of a connector', 'ocpp1.6', 'Charging', 'NoError'],
	['Fault', 'ocpp1.6', 'Faulted', 'GroundFailure'],
	['Connection lost', null, 'DISCONNECTED', null],
	['Status of a connector (OCPP 2.0.1)', 'ocpp2.0.1', 'Occupied', null],
	['Fault (OCPP 2.0.1)', 'ocpp2.0.1', 'Faulted', null],
	['End of a charging session (OCPP 2.0.1)', 'ocpp2.0.1', 'Ended', null],
	['Problem of a component (OCPP 2.0.1)', 'ocpp2.0.1', null, expect.any(String) as string],
])('%s', (title, protocol, status, errorCode) => {
	expect(shown(title)).toEqual({ protocol, status, errorCode });
});
