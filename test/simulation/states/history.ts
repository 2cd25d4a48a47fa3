/** A history of a station's states: what its messages say, as events and as lines that people read. */
import { back, lost, message, MINUTE, type StationEvent } from '../../unit/station/stationWorld';

export type Version = '1.6' | '2.0.1';

interface Said {
	/** When the service created it, in Unix milliseconds. */
	readonly at: number;
	readonly version: Version;
	/** How much later it is listed. */
	readonly lateMs?: number;
}

/** Of a component: a connector of 1.6 has no EVSE; of 2.0.1 it may have no number. */
export interface StatusStep extends Said {
	readonly what: 'status';
	readonly component: 'Connector' | 'EVSE' | 'ChargingStation';
	readonly evse?: number;
	readonly connector?: number;
	readonly status: string;
	/** 2.0.1: in a NotifyEvent. */
	readonly isNotified?: boolean;
}

export interface ProblemStep extends Said {
	readonly what: 'problem';
	/** Of the component. */
	readonly name: string;
	readonly evse?: number;
	readonly connector?: number;
	readonly techCode?: string;
	readonly isOver: boolean;
	/** Over by `cleared`, and not by `actualValue`. */
	readonly isCleared?: boolean;
	readonly isMonitored?: boolean;
}

export interface BootStep extends Said {
	readonly what: 'boot';
	/** The last three start nothing over. */
	readonly how: 'Accepted' | 'unanswered' | 'asked for' | 'Pending' | 'Rejected';
}

/** 2.0.1: whether a session draws power. */
export interface UseStep extends Said {
	readonly what: 'use';
	readonly evse: number;
	readonly connector: number;
	readonly isCharging: boolean;
}

/** `command` is a call of the service, which no response follows. */
interface OtherStep extends Said {
	readonly what: 'lost' | 'back' | 'heartbeat' | 'command';
}

export type Step = StatusStep | ProblemStep | BootStep | UseStep | OtherStep;

export const FROM = Date.UTC(2026, 10, 23, 6);
export const STATION = 's1';
const VARIABLE = { actualValue: '', trigger: 'Delta', eventNotificationType: 'HardWiredMonitor' };

const clock = (at: number) => {
	const iso = new Date(at).toISOString();
	const day = iso.slice(0, 10) === '2026-11-23' ? '' : `${iso.slice(5, 10)} `;
	return day + iso.slice(11, 19).replace(/:00$/, '');
};

/** As items name it: `1`, `1/2`; 0 is the station. */
export const placeName = ({ evse, connector }: { evse?: number; connector?: number }): string =>
	[evse, connector].filter((part) => part !== undefined).join('/') || '0';

export const textOf = (steps: readonly Step[]): string =>
	steps.map((step) => `  ${clock(step.at)} ${wordsOf(step)}${lateText(step)}`).join('\n');

const lateText = ({ at, lateMs = 0 }: Step) => (lateMs > 0 ? `, listed ${clock(at + lateMs)}` : '');

function wordsOf(step: Step): string {
	switch (step.what) {
		case 'status': {
			const { component, status, isNotified } = step;
			const way = isNotified ? ` (NotifyEvent of ${component})` : '';
			return `${placeName(step)} ${status}${way}`;
		}
		case 'problem': {
			const { name, techCode, isOver, isCleared, isMonitored } = step;
			const value = isOver ? (isCleared ? 'cleared' : 'false') : 'true';
			const more = `${techCode ? ` ${techCode}` : ''}${isMonitored ? ', monitored' : ''}`;
			return `${placeName(step)} problem of ${name} ${value}${more}`;
		}
		case 'boot':
			return `boot, ${step.how}`;
		case 'use':
			return `${placeName(step)} ${step.isCharging ? 'charges' : 'ends its session'}`;
		default:
			return {
				lost: 'DISCONNECTED',
				back: 'CONNECTED',
				heartbeat: 'heartbeat',
				command: 'the service asks for its logs',
			}[step.what];
	}
}

export function eventsOf(steps: readonly Step[]): StationEvent[] {
	return steps.flatMap((step, n) =>
		spoken(step, n).map((event) => ({
			...event,
			listedAt: Date.parse(event.createdAt) + (step.lateMs ?? 0),
		})),
	);
}

function spoken(step: Step, n: number): StationEvent[] {
	const { at, version } = step;
	const id = `whevt_${n}`;
	const timestamp = new Date(at).toISOString();
	const messageId = `m${n}`;
	const call = (action: string, payload: Record<string, unknown>) =>
		message(at, STATION, [action, payload], { id, messageId });
	const notify = (data: Record<string, unknown>) =>
		call('NotifyEvent', {
			...{ generatedAt: timestamp, seqNo: 0 },
			eventData: [{ ...VARIABLE, eventId: n, timestamp, ...data }],
		});
	switch (step.what) {
		case 'lost':
			return [lost(at, STATION, { id })];
		case 'back':
			return [back(at, STATION, { id })];
		case 'heartbeat':
			return [call('Heartbeat', {})];
		case 'command':
			return [call('GetLog', { logType: 'DiagnosticsLog', requestId: n })];
		case 'boot':
			return bootEvents(step, id, messageId);
		case 'use': {
			const { evse, connector, isCharging } = step;
			return [
				call('TransactionEvent', {
					eventType: isCharging ? 'Started' : 'Ended',
					...{ timestamp, triggerReason: 'ChargingStateChanged', seqNo: isCharging ? 0 : 1 },
					evse: { id: evse, connectorId: connector },
					transactionInfo: {
						transactionId: `tx-${evse}-${connector}`,
						chargingState: isCharging ? 'Charging' : 'Idle',
					},
				}),
			];
		}
		case 'problem': {
			const { name, techCode, isOver, isCleared, isMonitored } = step;
			return [
				notify({
					component: componentOf(name, step),
					variable: { name: 'Problem' },
					actualValue: String(!isOver || isCleared === true),
					...(isCleared && { cleared: true }),
					...(techCode !== undefined && { techCode }),
					...(isMonitored && { variableMonitoringId: 7 }),
				}),
			];
		}
		case 'status': {
			const { component, evse, connector, status, isNotified } = step;
			if (version === '1.6') {
				const errorCode = status === 'Faulted' ? 'GroundFailure' : 'NoError';
				const connectorId = connector ?? 0;
				return [call('StatusNotification', { connectorId, status, errorCode, timestamp })];
			}
			if (isNotified) {
				const variable = { name: 'AvailabilityState' };
				return [notify({ component: componentOf(component, step), variable, actualValue: status })];
			}
			const where = { evseId: evse ?? 0, connectorId: connector ?? 0 };
			return [call('StatusNotification', { ...where, connectorStatus: status, timestamp })];
		}
	}
}

function componentOf(name: string, { evse, connector }: { evse?: number; connector?: number }) {
	if (evse === undefined) return { name };
	return { name, evse: { id: evse, ...(connector !== undefined && { connectorId: connector }) } };
}

function bootEvents({ at, version, how }: BootStep, id: string, messageId: string): StationEvent[] {
	const isNew = version === '2.0.1';
	const payload = isNew
		? {
				reason: how === 'asked for' ? 'Triggered' : 'PowerUp',
				chargingStation: { model: 'M', vendorName: 'V' },
			}
		: { chargePointModel: 'M', chargePointVendor: 'V' };
	const asked = { requestedMessage: 'BootNotification' };
	const ask = message(at - MINUTE / 2, STATION, ['TriggerMessage', asked], {
		...{ id: `${id}-ask`, messageId: `${messageId}-ask` },
	});
	const boot = message(at, STATION, ['BootNotification', payload], { id, messageId });
	const status = how === 'asked for' ? 'Accepted' : how;
	const currentTime = new Date(at).toISOString();
	const response = message(at + 100, STATION, ['', { currentTime, interval: 300, status }], {
		...{ id: `${id}-answer`, messageId, messageType: 'CALL_RESULT' },
	});
	return [...(how === 'asked for' ? [ask] : []), boot, ...(how === 'unanswered' ? [] : [response])];
}
