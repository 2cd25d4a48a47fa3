/** Compares what the product says of a log with a plain computation, and the trigger with the questions about the past. */
import { isRecord, textOf } from '../../lib/shared/values';
import { DEFAULTS, MINUTE } from '../../test/unit/station/stationWorld';
import type { Line } from './log';
import { plainRuns, plainSessions, type Run, type Session } from './plain';
import { type Item, STATUS_MS, type Told } from './product';

interface Difference {
	readonly of: string;
	readonly text: string;
}

export interface Compared {
	readonly differences: readonly Difference[];
	readonly counts: Readonly<Record<string, string | number>>;
}

export function compared(lines: readonly Line[], told: Told): Compared {
	const runs = plainRuns(lines);
	const plain = {
		sessions: plainSessions(lines).map(sessionText),
		faults: runs.filter(({ status }) => status === 'Faulted').map(runText),
		stuck: runs
			.filter(({ status }) => DEFAULTS.statuses.includes(status))
			.filter(({ from, to }) => Math.min(to, told.now - MINUTE) - from >= STATUS_MS)
			.map(runText),
	};
	const of = (kind: 'sessionEnded' | 'connectorFault' | 'connectorStatus' | 'stationOffline') => {
		const text = kind === 'sessionEnded' ? itemText : incidentText;
		return {
			trigger: (told.trigger.get(kind) ?? []).map(text),
			past: (told.past.get(kind) ?? []).map(text),
		};
	};
	const sessions = of('sessionEnded');
	const faults = of('connectorFault');
	const stuck = of('connectorStatus');
	const offline = of('stationOffline');
	const uptime = { plain: plainUptime(runs, told), product: told.uptime.flatMap(rowOf) };
	return {
		differences: [
			...differences(
				'session of the plain computation',
				plain.sessions,
				'trigger',
				sessions.trigger,
			),
			...differences('session of Get Sessions', sessions.past, 'trigger', sessions.trigger),
			...differences('fault of the plain computation', plain.faults, 'trigger', faults.trigger),
			...differences('fault of Get Incidents', faults.past, 'trigger', faults.trigger),
			...differences('status of the plain computation', plain.stuck, 'trigger', stuck.trigger),
			...differences('status of Get Incidents', stuck.past, 'trigger', stuck.trigger),
			...differences('outage of Get Incidents', offline.past, 'trigger', offline.trigger),
			...differences(
				'row of the plain computation',
				uptime.plain
					.filter((row) => !uptime.product.some((other) => isSame(row, other)))
					.map(rowText),
				'Get Uptime',
				uptime.product
					.filter((row) => !uptime.plain.some((other) => isSame(row, other)))
					.map(rowText),
			),
		],
		counts: {
			messages: lines.length,
			stations: new Set(lines.map(({ station }) => station)).size,
			hours: Math.round((told.to - told.from) / (60 * MINUTE)),
			'sessions (plain, trigger, Get Sessions)': numbers(plain.sessions, sessions),
			'faults (plain, trigger, Get Incidents)': numbers(plain.faults, faults),
			'statuses for 2 hours (plain, trigger, Get Incidents)': numbers(plain.stuck, stuck),
			'outages (trigger, Get Incidents)': `${offline.trigger.length}, ${offline.past.length}`,
			'rows of uptime (plain, Get Uptime)': `${uptime.plain.length}, ${uptime.product.length}`,
		},
	};
}

const numbers = (
	plain: readonly string[],
	{ trigger, past }: { readonly trigger: readonly string[]; readonly past: readonly string[] },
) => `${plain.length}, ${trigger.length}, ${past.length}`;

/** Each as often as it is there. */
function differences(
	name: string,
	expected: readonly string[],
	of: string,
	found: readonly string[],
): Difference[] {
	const only = (some: readonly string[], others: readonly string[]) => {
		const left = new Map<string, number>();
		for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
		return some.filter((one) => {
			const count = left.get(one) ?? 0;
			left.set(one, count - 1);
			return count <= 0;
		});
	};
	const [missing, added] = [only(expected, found), only(found, expected)];
	return [...missing.map((text) => `- ${text}`), ...added.map((text) => `+ ${text}`)]
		.toSorted((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1))
		.map((text) => ({ of: `a ${name} (-) is not as that of the ${of} (+)`, text }));
}

const iso = (ms: number | null) =>
	ms === null ? 'null' : ms === Infinity ? 'now' : new Date(ms).toISOString().slice(0, 19);
const isoOf = (text: unknown) => (typeof text === 'string' ? iso(Date.parse(text)) : 'null');

const kwh = (energy: unknown) => (typeof energy === 'number' ? energy.toFixed(3) : 'null');

const sessionText = (session: Session): string =>
	[
		...[session.station, session.transaction, `connector ${session.connector ?? 'null'}`],
		...[iso(session.startedAt), iso(session.stoppedAt), `${kwh(session.energyKwh)} kWh`],
	].join(' ');

function itemText(item: Item): string {
	const { transactionId, connector, startedAt, stoppedAt, energyKwh } = item;
	return [
		...[stationOf(item), textOf(transactionId), `connector ${textOf(connector) ?? 'null'}`],
		...[isoOf(startedAt), isoOf(stoppedAt), `${kwh(energyKwh)} kWh`],
	].join(' ');
}

const runText = ({ station, connector, status, from, to }: Run): string =>
	`${station} connector ${connector} ${status} ${iso(from)} ${iso(to)}`;

function incidentText(item: Item): string {
	const { connector, status, since, until } = item;
	const state = textOf(status) ?? (item['kind'] === 'connectorFault' ? 'Faulted' : '');
	const to = until === null || until === undefined ? 'now' : isoOf(until);
	return `${stationOf(item)} connector ${textOf(connector) ?? ''} ${state} ${isoOf(since)} ${to}`;
}

function stationOf({ station }: Item): string {
	return isRecord(station) ? (textOf(station['id']) ?? '') : '';
}

interface Row {
	readonly place: string;
	/** Up, down and unknown. */
	readonly minutes: readonly number[];
}

/** Of connectors: up is what is neither Faulted nor Unavailable, and known. */
function plainUptime(runs: readonly Run[], { from, to }: Told): Row[] {
	const connectors = runs.filter(({ connector }) => !['0', '0/0'].includes(connector));
	const places = Object.groupBy(connectors, ({ station, connector }) => `${station} ${connector}`);
	return Object.entries(places).map(([place, own = []]) => {
		const ms = { known: 0, down: 0 };
		for (const run of own) {
			const length = Math.max(0, Math.min(run.to, to) - Math.max(run.from, from));
			ms.known += length;
			if (['Faulted', 'Unavailable'].includes(run.status)) ms.down += length;
		}
		const minutes = [ms.known - ms.down, ms.down, to - from - ms.known].map((one) => one / MINUTE);
		return { place, minutes };
	});
}

/** Of a station without a known connector, there is nothing to compare. */
function rowOf(item: Item): Row[] {
	const { connector, upMinutes, downMinutes, unknownMinutes } = item;
	if (typeof connector !== 'string') return [];
	const minutes = [upMinutes, downMinutes, unknownMinutes].map(Number);
	return [{ place: `${stationOf(item)} ${connector}`, minutes }];
}

/** Items have whole minutes, which add up. */
const isSame = (one: Row, other: Row) =>
	one.place === other.place &&
	one.minutes.every((many, n) => Math.abs(many - (other.minutes[n] ?? 0)) <= 1);

const rowText = ({ place, minutes: [up = 0, down = 0, unknown = 0] }: Row): string =>
	`${place} up ${Math.round(up)} down ${Math.round(down)} unknown ${Math.round(unknown)}`;
