/** Months of a network, as its stations send them, and its true outages, exclusions and figures: worked out without the package. */
import { DateTime } from 'luxon';
import type { Asset } from '../../simulator/data/assets';
import { type Message, Station } from '../../simulator/data/field/station';
import { createRandom, type Random } from '../../simulator/data/random';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Span {
	readonly from: number;
	readonly to: number;
}

export interface Sent {
	readonly at: number;
	readonly message: Message;
}

export interface Port {
	readonly assetId: string;
	readonly station: string;
	readonly port: string;
	/** Not merged, in any order. */
	readonly down: readonly Span[];
}

interface Play {
	readonly events: readonly Sent[];
	readonly ports: readonly Port[];
}

/** Plays each station from then to then, in UTC days. */
export function playNetwork(assets: readonly Asset[], { from, to }: Span): Play {
	const plays = assets.map((asset, n) => playStation(asset, createRandom(n + 1), { from, to }));
	return {
		events: plays.flatMap(({ events }) => events).sort((a, b) => a.at - b.at),
		ports: plays.flatMap(({ ports }) => ports),
	};
}

const FAULT = { errorCode: 'InternalError', vendorErrorCode: 'E-7' };

function playStation(asset: Asset, random: Random, { from, to }: Span): Play {
	const station = new Station(asset, random, 10_000);
	const between = (least: number, most: number) => least + random.int(most - least);
	const down: { connector: number | null; span: Span }[] = [];
	/** Nothing else is sent in it. */
	const quiet: Span[] = [];
	const planned: (Sent & { readonly connector: number | null; readonly isRoutine: boolean })[] = [];
	let isRoutine = true;
	const send = (at: number, message: Message | undefined, connector: number | null = null) => {
		if (message) planned.push({ at, message, connector, isRoutine });
	};
	const offline = (span: Span) => {
		down.push({ connector: null, span });
		quiet.push(span);
		send(span.from, station.connectivity('DISCONNECTED'));
		send(span.to, station.connectivity('CONNECTED'));
	};
	const silent = (span: Span) => {
		down.push({ connector: null, span });
		quiet.push(span);
		send(span.from, station.heartbeat());
		send(span.to, station.heartbeat());
	};
	const inStatus = (status: string, connector: number, span: Span) => {
		down.push({ connector, span });
		const fault = status === 'Faulted' ? FAULT : undefined;
		send(span.from, station.status(connector, status, fault), connector);
		send(span.to, station.status(connector, 'Available'), connector);
	};
	const isSilentDown = asset.chargingStation.status === 'ACTIVE';
	let freeFrom = from;
	for (let day = from; day < to; day += DAY) {
		isRoutine = true;
		for (let hour = 0; hour < 24; hour += 4)
			send(day + hour * HOUR + random.int(20 * MINUTE), station.heartbeat());
		for (const connector of station.connectors) {
			const at = day + 5 * HOUR + random.int(20 * MINUTE);
			send(at, station.status(connector, 'Available'), connector);
		}
		isRoutine = false;
		const start = day + between(6 * HOUR, 16 * HOUR);
		if (freeFrom > start) continue;
		const connector = station.connectors[random.int(station.connectors.length)] ?? 1;
		const short = { from: start, to: start + between(3 * MINUTE, 9 * HOUR) };
		const chance = random.int(100);
		if (chance < 45) continue;
		if (chance < 60) offline(short);
		else if (chance < 72) inStatus('Faulted', connector, short);
		else if (chance < 80) inStatus('Unavailable', connector, short);
		else if (chance < 88) {
			const lost = start + between(5 * MINUTE, HOUR);
			const back = lost + between(5 * MINUTE, 5 * HOUR);
			inStatus('Faulted', connector, { from: start, to: back + between(5 * MINUTE, 3 * HOUR) });
			offline({ from: lost, to: back });
		} else if (chance < 95 || !isSilentDown)
			offline({ from: start, to: start + between(20 * HOUR, 70 * HOUR) });
		else silent({ from: start, to: start + between(30 * HOUR, 60 * HOUR) });
		freeFrom = Math.max(...down.map(({ span }) => span.to)) + HOUR;
	}
	const isIn = (at: number, span: Span) => span.from - 2 * MINUTE < at && at < span.to + 2 * MINUTE;
	const events = planned.filter(
		(one) =>
			!one.isRoutine ||
			(!quiet.some((span) => isIn(one.at, span)) &&
				!down.some(
					({ connector, span }) =>
						connector !== null && connector === one.connector && isIn(one.at, span),
				)),
	);
	const { id: assetId, chargingStation } = asset;
	const ports = station.connectors.map((connector) => ({
		...{ assetId, station: chargingStation.name, port: String(connector) },
		down: down
			.filter((one) => one.connector === null || one.connector === connector)
			.map(({ span }) => span),
	}));
	return { events, ports };
}

/** In order, without overlaps. */
export function merged(spans: readonly Span[]): Span[] {
	const result: { from: number; to: number }[] = [];
	for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
		const last = result.at(-1);
		if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
		else result.push({ from, to });
	}
	return result;
}

/** Where both are. */
export const common = (some: readonly Span[], others: readonly Span[]): Span[] =>
	merged(some).flatMap((one) =>
		merged(others)
			.map(({ from, to }) => ({ from: Math.max(one.from, from), to: Math.min(one.to, to) }))
			.filter(({ from, to }) => from < to),
	);

const minutesIn = (spans: readonly Span[]): number =>
	spans.reduce((sum, { from, to }) => sum + (to - from), 0) / MINUTE;

/** What a report must say of a port, all of whose statuses are known. */
export function figuresOf({ down }: Port, exclusions: readonly Span[], period: Span) {
	const outages = common(down, [period]);
	const excluded = common(exclusions, [period]);
	const outageMinutes = minutesIn(outages);
	const excludedOutageMinutes = minutesIn(common(outages, excluded));
	const [periodMinutes, excludedMinutes] = [minutesIn([period]), minutesIn(excluded)];
	const downMinutes = outageMinutes - excludedOutageMinutes;
	return {
		...{ periodMinutes, outageMinutes, excludedOutageMinutes, downMinutes, excludedMinutes },
		upMinutes: periodMinutes - excludedMinutes - downMinutes,
		unknownMinutes: 0,
		outages,
	};
}

/** Each day of a period from a time to a time of that day, or of the next one, on these days of the week (Monday is 1). */
export function repeating(
	{ from, to }: Span,
	zone: string,
	[begin, end]: readonly [string, string],
	weekdays: readonly number[] = [1, 2, 3, 4, 5, 6, 7],
): Span[] {
	const spans: Span[] = [];
	const at = (day: DateTime, time: string) => {
		const [hour = 0, minute = 0] = time.split(':').map(Number);
		return day.set({ hour, minute }).toMillis();
	};
	let day = DateTime.fromMillis(from, { zone }).startOf('day').minus({ days: 1 });
	for (; day.toMillis() < to; day = day.plus({ days: 1 })) {
		const until = at(begin < end ? day : day.plus({ days: 1 }), end);
		if (weekdays.includes(day.weekday)) spans.push({ from: at(day, begin), to: until });
	}
	return spans;
}
