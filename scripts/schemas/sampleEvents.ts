/** The page of sample events: one of each useful kind, as the simulator delivers them. */
import { asRecord } from '../../lib/shared/values';
import type { DeliveredEvent } from '../../simulator';
import { generateAssets } from '../../simulator/data/assets';
import { documentedEvents, type EventContent } from '../../simulator/data/events';
import { fieldEvents } from '../../simulator/data/field/source';

export const SAMPLES_PAGE = 'docs/sample-events.md';

const NOW = Date.UTC(2026, 0, 31, 12);
const EVENTS = 3000;

/** The fields that identify an event of each kind. */
type Mark = Readonly<Record<string, unknown>>;
const OCPP_16: Mark = { protocol: 'ocpp1.6' };
const OCPP_201: Mark = { protocol: 'ocpp2.0.1' };

const KINDS: readonly (readonly [title: string, mark: Mark])[] = [
	['Status of a connector', { ...OCPP_16, action: 'StatusNotification', status: 'Charging' }],
	['Fault', { ...OCPP_16, action: 'StatusNotification', status: 'Faulted' }],
	['Heartbeat', { ...OCPP_16, action: 'Heartbeat' }],
	['Meter values', { action: 'MeterValues' }],
	['Start of a charging session', { action: 'StartTransaction' }],
	['End of a charging session', { action: 'StopTransaction' }],
	['Start of a station (boot)', { ...OCPP_16, action: 'BootNotification' }],
	['Connection lost', { status: 'DISCONNECTED' }],
	['Connection restored', { status: 'CONNECTED' }],
	['Response to a message', { messageType: 'CALL_RESULT' }],
	['Error response to a message', { messageType: 'CALL_ERROR' }],
	['Security event', { action: 'SecurityEventNotification' }],
	['Status of a connector (OCPP 2.0.1)', { connectorStatus: 'Occupied' }],
	['Fault (OCPP 2.0.1)', { connectorStatus: 'Faulted' }],
	['Status of a connector as an event (OCPP 2.0.1)', { variable: 'AvailabilityState' }],
	['Problem of a component (OCPP 2.0.1)', { variable: 'Problem', actualValue: 'true' }],
	['Start of a charging session (OCPP 2.0.1)', { eventType: 'Started' }],
	['Charging session (OCPP 2.0.1)', { eventType: 'Updated', chargingState: 'Charging' }],
	['End of a charging session (OCPP 2.0.1)', { eventType: 'Ended' }],
	['Start of a station (boot, OCPP 2.0.1)', { ...OCPP_201, action: 'BootNotification' }],
];

/** By title, in the order of the page. Throws if the simulator does not send such an event. */
export function sampleEvents(): Map<string, DeliveredEvent> {
	const assets = generateAssets(20);
	const events = [fieldEvents(assets), documentedEvents(assets)].flatMap((source) =>
		source.history(EVENTS, NOW),
	);
	return new Map(
		KINDS.map(([title, mark], n): [string, DeliveredEvent] => {
			const { createdAt, type, data } =
				events.find((event) => hasMark(event, mark)) ?? missing(title);
			return [title, { id: `whevt_sample_${n + 1}`, type, createdAt, data }];
		}),
	);
}

function hasMark({ data }: EventContent, mark: Mark): boolean {
	const payload = asRecord(data['payload']);
	const events: unknown = payload['eventData'];
	const { variable, actualValue } = asRecord(Array.isArray(events) ? events[0] : undefined);
	const fields: Mark = {
		...data,
		...payload,
		...asRecord(payload['transactionInfo']),
		variable: asRecord(variable)['name'],
		actualValue,
	};
	return Object.entries(mark).every(([name, value]) => fields[name] === value);
}

function missing(title: string): never {
	throw new Error(`The simulator sends no event for "${title}".`);
}

export function samplesPage(): string {
	const samples = [...sampleEvents()].map(
		([title, event]) => `## ${title}\n\n\`\`\`json\n${JSON.stringify([event], null, 2)}\n\`\`\`\n`,
	);
	return `${INTRODUCTION}\n${samples.join('\n')}`;
}

const INTRODUCTION = `# Sample events

Use these events to build a workflow before the first real one arrives:

1. Open the trigger and click 'set mock data' in its output panel.
2. Paste one of the blocks below, including the square brackets, and save.
3. Execute the workflow. The nodes after the trigger get the event as if it had just been delivered.

Mock data is only used when you execute the workflow in the editor; production executions ignore it. To test with several events, put them in one list, separated by commas.

The IDs are made up. The first nine samples are from stations that use OCPP 1.6; a heartbeat and the connection look the same in OCPP 2.0.1. The next two are responses, which some services also deliver as events. A security event is the same in both versions. The last eight are from OCPP 2.0.1 stations.
`;
