/** A charging session from plugging in to leaving, as stations of each habit report it. */
import { register } from '../../ocpp201';
import type { Message, Payload, Session, SessionWords } from '../../ocppDialect';
import type { TrueSession } from './truth';
import type { Voice } from './voice';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Where a clock starts that is not set. */
const UNSET = Date.UTC(2023, 0, 1, 0, 0, 20);
const REASONS = ['Local', 'EVDisconnected', 'Remote'] as const;
const REGISTER = 'Energy.Active.Import.Register';

/** How a loss of the connection or of power changes a session that it falls into. */
export interface Break {
	readonly from: number;
	readonly to: number;
	/** `late`: the station reports the end when it is back online. `resumed`: the session continues after a power cut. `lost`: the end is never reported. */
	readonly way: 'late' | 'resumed' | 'lost';
}

export interface Visit {
	readonly connector: number;
	/** When the car is plugged in. */
	readonly from: number;
	readonly stop: number;
	/** When it leaves. */
	readonly to: number;
	readonly break?: Break;
}

/** The numbers of the sessions and the meters of a station. */
export class Meters {
	private readonly wh = new Map<number, number>();
	private readonly ids = new Map<number, number>();

	constructor(
		private readonly voice: Voice,
		private readonly nextId: () => number,
	) {}

	add(connector: number, wh: number): number {
		const before = this.wh.get(connector) ?? 1_000 + this.voice.random.int(2_000_000);
		const value = before + Math.round(wh);
		this.wh.set(connector, value);
		return value;
	}

	/** By the service for OCPP 1.6, by the station for 2.0.1. */
	idFor(connector: number): number {
		const { voice } = this;
		const counter = voice.has('idsPerConnector') ? connector : 0;
		if (counter === 0 && !voice.has('idsFromOne')) return this.nextId();
		const id = (this.ids.get(counter) ?? 0) + 1;
		this.ids.set(counter, id);
		return id;
	}

	boot(): void {
		if (this.voice.has('idsFromOne')) this.ids.clear();
	}
}

interface Reading {
	readonly at: number;
	readonly wh: number;
	readonly kilowatts: number;
}

/** What a message of the session is, apart from its time. */
interface Told {
	readonly voice: Voice;
	readonly visit: Visit;
	readonly session: Session;
	readonly words: SessionWords;
	readonly startedAt: number;
	/** Sorted; the first is that of the start and the last that of the stop. */
	readonly readings: readonly Reading[];
	readonly truth: TrueSession;
	/** What is said is part of the session. */
	readonly say: (at: number, message: Message, stationMs?: number) => string;
}

/** Returns the session, so that it can be noted when it is known to be over. */
export function tellSession(voice: Voice, meters: Meters, visit: Visit): TrueSession {
	const { random } = voice;
	const { connector } = visit;
	const session: Session = {
		connector,
		transactionId: meters.idFor(connector),
		idTag: `TAG${1000 + random.int(40)}`,
		meterStartWh: meters.add(connector, 0),
	};
	const startedAt = visit.from + (5 + random.int(40)) * SECOND_MS;
	const readings = readingsOf(voice, meters, visit, startedAt);
	const truth: TrueSession = {
		assetId: voice.assetId,
		connector: voice.nameOf(connector),
		startedAt,
		...(visit.break?.way !== 'lost' && { stoppedAt: visit.stop }),
		endShownAt: [],
		energyWh: (readings.at(-1)?.wh ?? 0) - session.meterStartWh,
		known: knownOf(voice, visit),
		events: [],
	};
	const told: Told = {
		...{ voice, visit, session, startedAt, readings, truth },
		words: voice.speak.session(session),
		say: (at, message, stationMs) => {
			const messageId = voice.say(at, message, stationMs);
			truth.events.push(voice.said.at(-1)?.event.id ?? '');
			return messageId;
		},
	};
	voice.status(visit.from, connector, 'Preparing');
	start(told);
	during(told);
	if (visit.break?.way !== 'lost') stop(told);
	return truth;
}

/** What the messages of stations with these habits do not say, however they are read. */
function knownOf(voice: Voice, { break: broken }: Visit): TrueSession['known'] {
	const hasIds = !voice.has('idsPerConnector') && !voice.has('ownTransactionId');
	// Sessions of a single connector follow each other.
	const start = hasIds || voice.connectors.length === 1;
	const isLost = broken?.way === 'lost';
	const isUnread = voice.has('measuredOnlyAtEnd') && isLost;
	const isFromZero = voice.has('placeholderAtStart') || voice.has('zeroMeters');
	return {
		energy: start && !isUnread && !isFromZero,
		length: start && !isLost && !voice.has('clockDaysBehind'),
		start,
	};
}

/** No energy flows in the first seconds, nor without power. */
function readingsOf(voice: Voice, meters: Meters, visit: Visit, startedAt: number): Reading[] {
	const { random, asset } = voice;
	const kilowatts = asset.chargingStation.powerType === 'DC' ? 50 : 11;
	const end = visit.break?.way === 'lost' ? visit.break.from - SECOND_MS : visit.stop;
	const step = (4 + random.int(12)) * MINUTE_MS;
	const times = [startedAt, startedAt + 8 * SECOND_MS];
	for (let at = startedAt + step; at < end - 30 * SECOND_MS; at += step) times.push(at);
	if (visit.break?.way !== 'lost') times.push(end);
	const isCut = (at: number) =>
		visit.break?.way === 'resumed' &&
		at > visit.break.from - SECOND_MS &&
		at < visit.break.to + MINUTE_MS;
	let before = times[1] ?? startedAt;
	return times
		.filter((at) => !isCut(at))
		.map((at, n) => {
			const isFlowing = n > 1;
			const hours = isFlowing
				? (Math.min(at - before, step) / HOUR_MS) * (0.6 + random.int(40) / 100)
				: 0;
			before = at;
			return { at, wh: meters.add(visit.connector, kilowatts * 1000 * hours), kilowatts };
		});
}

function start({ voice, session, words, startedAt, truth, say }: Told): void {
	const message = startOf(voice, words.started(), session);
	const messageId = say(startedAt, message, clockAtStart(voice, startedAt));
	if (!voice.is16()) return;
	const { transactionId } = session;
	const accepted = { transactionId, idTagInfo: { status: 'Accepted' } };
	voice.respond(startedAt + 200, messageId, accepted);
	truth.events.push(voice.said.at(-1)?.event.id ?? '');
}

function startOf(voice: Voice, message: Message, session: Session): Message {
	const named = identified(voice, message, session);
	if (voice.has('placeholderAtStart'))
		return withSamples(named, [register(0, 'Transaction.Begin')]);
	if (voice.has('zeroMeters')) return patched(named, { meterStart: 0 });
	const isUnread = voice.has('bothEndsTogether') && session.transactionId % 2 === 0;
	return isUnread || voice.has('measuredOnlyAtEnd') ? without(named, 'meterValue') : named;
}

function clockAtStart(voice: Voice, at: number): number {
	if (voice.has('clockNotSet')) return UNSET + voice.random.int(30 * SECOND_MS);
	if (voice.has('localTimeAtStart')) return at + voice.random.pick([1, 2, 5.5, 8]) * HOUR_MS;
	return voice.has('clockDaysBehind') ? at - 3 * DAY_MS : at;
}

/** The messages between start and stop. */
function during(told: Told): void {
	const { voice, visit, session, words, startedAt, readings, say } = told;
	const { connector, break: broken } = visit;
	const charging = words.charging();
	if (charging) say(startedAt + 4 * SECOND_MS, identified(voice, charging, session));
	voice.status(startedAt + 5 * SECOND_MS, connector, 'Charging');
	const between = readings.slice(1, broken?.way === 'lost' ? undefined : -1);
	const resumedAt = broken?.way === 'resumed' ? broken.to + 30 * SECOND_MS : Infinity;
	for (const reading of between.filter(({ at }) => at < resumedAt)) {
		sayOrQueue(reading.at, measured(told, reading), broken, say);
	}
	if (resumedAt === Infinity) return;
	const resumed = without(measured(told, { at: 0, wh: 0, kilowatts: 0 }), 'meterValue');
	say(resumedAt, patched(resumed, { seqNo: 0, triggerReason: 'TxResumed' }));
	for (const [n, reading] of between.filter(({ at }) => at > resumedAt).entries()) {
		say(reading.at, patched(measured(told, reading), { seqNo: n + 1 }));
	}
}

function measured({ voice, session, words }: Told, { wh, kilowatts }: Reading): Message {
	const registerWh = voice.has('zeroMeters') ? wh - session.meterStartWh : wh;
	const message = withIds(voice, session, words.measured({ registerWh, kilowatts }));
	return identified(
		voice,
		voice.has('measuredOnlyAtEnd') ? without(message, 'meterValue') : message,
		session,
	);
}

/** What a station without a connection would have sent, it sends afterwards, with the times of then. */
function sayOrQueue(
	at: number,
	message: Message,
	broken: Break | undefined,
	say: Told['say'],
): void {
	if (broken === undefined || at < broken.from) {
		say(at, message);
		return;
	}
	if (at > broken.to) say(at, message);
	else say(broken.to + 20 * SECOND_MS + (at - broken.from) / 10_000, offline(message), at);
}

const offline = (message: Message): Message =>
	message.action === 'TransactionEvent' ? patched(message, { offline: true }) : message;

function stop(told: Told): void {
	const { voice, visit, session, words, readings, truth, say } = told;
	const { connector, break: broken, stop: at } = visit;
	const last = readings.at(-1);
	const stopWh = last?.wh ?? session.meterStartWh;
	if (last && voice.has('zeroMeters')) {
		sayOrQueue(at - SECOND_MS, measured(told, last), broken, say);
	}
	const ended = withReadings(told, words.ended(stopWh, voice.random.pick(REASONS)), stopWh);
	const seqNo = readings.filter((reading) => reading.at > (broken?.to ?? 0)).length;
	const numbered = broken?.way === 'resumed' ? patched(ended, { seqNo }) : ended;
	const message = identified(voice, numbered, session);
	const sentAt = broken?.way === 'late' && at < broken.to ? broken.to + 25 * SECOND_MS : at;
	say(sentAt, sentAt === at ? message : offline(message), at);
	truth.endShownAt.push(sentAt);
	const left = Math.max(sentAt + 2 * SECOND_MS, visit.to);
	if (sentAt === at) voice.status(at + SECOND_MS, connector, 'Finishing');
	voice.status(left, connector, 'Available');
	if (!voice.has('stopAgain') || broken) return;
	const again = left + (12 + voice.random.int(6)) * MINUTE_MS;
	voice.boot(again);
	voice.status(again + 2 * SECOND_MS, connector, 'Available');
	say(again + 5 * SECOND_MS, message);
	truth.endShownAt.push(again + 5 * SECOND_MS);
}

/** How long after the car has left the connector is still used, for a stop that is sent again. */
export const AGAIN_MS = 20 * MINUTE_MS;

/** The stop with the registers as the habit has them. */
function withReadings(
	{ voice, session, readings }: Told,
	message: Message,
	stopWh: number,
): Message {
	const begin = register(session.meterStartWh, 'Transaction.Begin');
	const end = register(stopWh, 'Transaction.End');
	if (voice.has('zeroMeters')) return patched(message, { meterStop: 0 });
	if (voice.has('noMeterStop')) {
		const sample = {
			value: String(stopWh),
			context: 'Transaction.End',
			measurand: REGISTER,
			unit: 'Wh',
		};
		return {
			...message,
			payload: (now) => {
				const transactionData = [{ timestamp: now, sampledValue: [sample] }];
				return { ...message.payload(now), meterStop: -1, transactionData };
			},
		};
	}
	if (voice.has('bothEndsTogether')) {
		return withSamples(message, voice.random.int(2) === 0 ? [begin, end] : [end, begin]);
	}
	if (!voice.has('measuredOnlyAtEnd')) return message;
	const middle = readings[Math.floor(readings.length / 2)];
	const timed = [
		{ at: readings[0]?.at ?? 0, sample: begin },
		{ at: middle?.at ?? 0, sample: register(middle?.wh ?? stopWh, 'Sample.Periodic') },
		{ at: readings.at(-1)?.at ?? 0, sample: end },
	];
	const last = timed.at(-1)?.at ?? 0;
	return {
		...message,
		payload: (now) => ({
			...message.payload(now),
			meterValue: timed.map(({ at, sample }) => ({
				timestamp: new Date(Date.parse(now) - (last - at)).toISOString(),
				sampledValue: [sample],
			})),
		}),
	};
}

/** The ID of the session as the station names it. */
function identified(voice: Voice, message: Message, { transactionId }: Session): Message {
	if (voice.has('ownTransactionId') && message.action === 'StopTransaction') {
		return patched(message, { transactionId: -1 });
	}
	if (!voice.has('idsFromOne')) return message;
	return {
		...message,
		payload: (now) => {
			const payload = message.payload(now);
			const info = payload['transactionInfo'] as Payload;
			return { ...payload, transactionInfo: { ...info, transactionId: String(transactionId) } };
		},
	};
}

/** A station with IDs of its own uses them in its meter values, or none. */
function withIds(voice: Voice, { transactionId }: Session, message: Message): Message {
	if (!voice.has('ownTransactionId')) return message;
	return transactionId % 2 === 0
		? without(message, 'transactionId')
		: patched(message, { transactionId: -1 });
}

function patched(message: Message, fields: Payload): Message {
	return { ...message, payload: (now) => ({ ...message.payload(now), ...fields }) };
}

function without(message: Message, field: string): Message {
	return {
		...message,
		payload: (now) => {
			const { [field]: _removed, ...payload } = message.payload(now);
			return payload;
		},
	};
}

function withSamples(message: Message, sampledValue: readonly Payload[]): Message {
	return {
		...message,
		payload: (now) => ({
			...message.payload(now),
			meterValue: [{ timestamp: now, sampledValue }],
		}),
	};
}
