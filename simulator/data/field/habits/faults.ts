/** A fault of a connector from its beginning to its end, as stations of each habit report it. */
import { notifyEvent } from '../../ocpp201';
import type { Fault, Message } from '../../ocppDialect';
import type { TrueFault } from './truth';
import { type Voice, WHOLE_STATION } from './voice';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const LOCK = 'ConnectorPlugRetentionLock';

const FAULTS: readonly [Fault, ...Fault[]] = [
	{ errorCode: 'GroundFailure', vendorErrorCode: 'E-031' },
	{ errorCode: 'ConnectorLockFailure', vendorErrorCode: 'E-104' },
	{ errorCode: 'HighTemperature', vendorErrorCode: 'T-12' },
	{ errorCode: 'OverVoltage', vendorErrorCode: '0x2C' },
];

interface Told {
	readonly voice: Voice;
	readonly connector: number;
	readonly from: number;
	readonly to: number;
	/** The fault is reported at this time. */
	readonly report: (at: number, fault: Partial<Fault>, codes?: readonly string[]) => void;
}

export function tellFault(voice: Voice, connector: number, from: number, to: number): void {
	const isOfEvse = voice.has('statusOfEvse') && !voice.is16();
	const fault: TrueFault = {
		assetId: voice.assetId,
		connector: isOfEvse ? String(connector) : voice.nameOf(connector),
		...{ from, to, reports: [] },
	};
	voice.truth.faults.push(fault);
	const report: Told['report'] = (at, codesOf, codes = Object.values(codesOf)) => {
		// In OCPP 2.0.1 the status has no codes.
		fault.reports.push({ at, codes: voice.is16() ? codes : [] });
		voice.status(at, connector, 'Faulted', { errorCode: 'NoError', ...codesOf } as Fault);
	};
	const told = { voice, connector, from, to, report };
	if (voice.has('onlyProblem') && connector !== WHOLE_STATION) {
		onlyProblem(told, fault);
		return;
	}
	ways(voice)(told, fault);
	voice.status(to, connector, 'Available');
}

type Way = (told: Told, fault: TrueFault) => void;

function ways(voice: Voice): Way {
	if (voice.has('faultReportedAgain')) return reportedAgain;
	if (voice.has('errorsInTurn')) return errorsInTurn;
	if (voice.has('listOfCodes')) return listOfCodes;
	if (voice.has('codeForgotten')) return codeForgotten;
	return voice.is16() || voice.random.int(2) === 0 ? once : withProblem;
}

const once: Way = ({ voice, from, report }) => {
	report(from, voice.random.pick(FAULTS));
};

/** OCPP 2.0.1: the cause comes as an event of its own, before the status or after it. */
const withProblem: Way = ({ voice, connector, from, to, report }, fault) => {
	const what = voice.random.pick(FAULTS);
	if (connector === WHOLE_STATION) {
		report(from, what);
		return;
	}
	const isFirst = voice.random.int(2) === 0;
	problem(voice, fault, from + (isFirst ? 0 : 2 * SECOND_MS), connector, what);
	report(from + (isFirst ? SECOND_MS : 0), what);
	const over = voice.speak.problem(connector, what, true);
	if (over) voice.say(to + SECOND_MS, over);
};

function problem(voice: Voice, fault: TrueFault, at: number, connector: number, what: Fault): void {
	const told = voice.speak.problem(connector, what, false);
	if (!told) return;
	fault.reports.push({ at, codes: [what.vendorErrorCode] });
	voice.say(at, told);
}

const reportedAgain: Way = ({ voice, from, to, report }) => {
	const what = voice.random.pick(FAULTS);
	const times = 2 + voice.random.int(3);
	for (let n = 0; n < times; n++) report(from + ((to - from) / times) * n, what);
};

const errorsInTurn: Way = ({ from, to, report }) => {
	const third = (to - from) / 3;
	report(from, { errorCode: 'OtherError', vendorErrorCode: 'A-1' });
	report(from + third, { errorCode: 'GroundFailure', vendorErrorCode: 'B-2' });
	report(from + 2 * third, { errorCode: 'GroundFailure', vendorErrorCode: 'A-1' });
};

const listOfCodes: Way = ({ from, to, report }) => {
	for (const [n, codes] of [['F101'], ['F101', 'F205'], ['F205']].entries()) {
		const vendorErrorCode = codes.join(',');
		const at = from + ((to - from) / 3) * n;
		report(at, { errorCode: 'OtherError', vendorErrorCode }, ['OtherError', ...codes]);
	}
};

/** The service asks for the status while the fault lasts. */
const codeForgotten: Way = ({ voice, connector, from, to, report }) => {
	report(from, voice.random.pick(FAULTS));
	const asked = from + Math.min((to - from) / 2, 15 * MINUTE_MS);
	const requestedMessage = 'StatusNotification';
	const id = voice.command(asked, 'TriggerMessage', { requestedMessage, connectorId: connector });
	voice.respond(asked + 300, id, { status: 'Accepted' });
	report(asked + SECOND_MS, {}, []);
};

/** A part of the connector has the problem; the status of the connector says nothing of it. */
const onlyProblem: Way = ({ voice, connector, from, to }, fault) => {
	const techCode = 'ConnectorLockFailure';
	fault.reports.push({ at: from, codes: [techCode] });
	const report = (actualValue: string): Message =>
		notifyEvent({
			trigger: 'Delta',
			actualValue,
			techCode,
			eventNotificationType: 'HardWiredNotification',
			component: { name: LOCK, evse: { id: connector, connectorId: 1 } },
			variable: { name: 'Problem' },
		});
	voice.say(from, report('true'));
	voice.say(to, report('false'));
};
