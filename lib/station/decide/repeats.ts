/**
 * Incidents of faults that come several times within a time. One opens with the last of them, and ends when no fault
 * has come for that time and none of them lasts. Faults in between belong to it.
 */
import type { Fault, Incident } from '../common/state';
import { type CountedFault, countFault, dropFaults } from '../fold/faults';
import type { IncidentStep } from './duration';

interface Repeats {
	readonly watermark: number;
	readonly horizon: number;
	readonly times: number;
	readonly withinMs: number;
}

/** `faults` are sorted. Returns what happened, and the latest incident. */
export function followRepeats(
	faults: readonly CountedFault[],
	before: Incident | undefined,
	{ watermark, horizon, times, withinMs }: Repeats,
	open: (first: Fault) => Incident,
): { readonly steps: IncidentStep[]; readonly latest: Incident | undefined } {
	const steps: IncidentStep[] = [];
	let latest = before && { ...before };
	/** When the last of its faults seen so far was over; Infinity while one lasts. */
	let overAt = -Infinity;
	/** Since the latest incident. */
	let window: CountedFault[] = [];
	const close = (at: number) => {
		if (latest?.until === undefined || latest.reported === 'closed' || latest.until > at) return;
		if (latest.reported === 'opened') {
			steps.push({ step: 'closed', incident: { ...latest }, until: latest.until });
		}
		latest.reported = 'closed';
	};
	const add = (incident: Incident, counted: CountedFault) => {
		countFault(incident, counted);
		// A later report of a known fault may be the first that names a code.
		incident.d = incident.faults?.at(-1)?.d;
		overAt = Math.max(overAt, counted.fault.until ?? Infinity);
		endAfter(incident, { withinMs, overAt });
	};
	for (const counted of faults) {
		const { fault } = counted;
		if (fault.t > horizon) break;
		if (latest !== undefined && fault.t >= latest.since) {
			if (isPart(fault, latest, { withinMs, overAt })) {
				add(latest, counted);
				continue;
			}
			if (latest.reported !== 'closed') {
				dropFaults(latest, { since: fault.t });
				endAfter(latest, { withinMs, overAt });
			}
		}
		close(fault.t - 1);
		if (latest !== undefined && fault.t <= (latest.until ?? Infinity)) continue;
		window = [...window.filter((one) => fault.t - one.fault.t <= withinMs), counted];
		const [first] = window;
		if (first === undefined || window.length < times) continue;
		latest = open(first.fault);
		overAt = -Infinity;
		for (const one of window) add(latest, one);
		if (latest.reported === 'opened') steps.push({ step: 'opened', incident: { ...latest } });
		window = [];
	}
	close(watermark);
	return { steps, latest };
}

interface FaultTimes {
	readonly withinMs: number;
	/** When those of its faults that are seen were over. */
	readonly overAt: number;
}

/**
 * Whether the fault came before the incident was over. A late report, or a boot, can show that those before it were over earlier:
 * then a fault that was counted is none of it. Not of one whose end is reported.
 */
function isPart(
	{ t }: Fault,
	{ reported, until, faults = [] }: Incident,
	bounds: FaultTimes,
): boolean {
	if (reported === 'closed') return t <= (until ?? Infinity);
	const before = faults.filter((one) => one.t < t);
	return t <= endOf(before, bounds);
}

/** When an incident of the faults is over; Infinity if there are none. */
function endOf(faults: readonly Fault[], { withinMs, overAt }: FaultTimes): number {
	const last = faults.at(-1);
	if (last === undefined) return Infinity;
	// Those that are forgotten are over.
	const ends = faults.map(({ until = -Infinity }) => until);
	return Math.max(last.t + withinMs, overAt, ...ends);
}

function endAfter(incident: Incident, bounds: FaultTimes): void {
	const { reported, faults = [] } = incident;
	const last = faults.at(-1);
	if (last === undefined) return;
	const end = endOf(faults, bounds);
	const until = reported === 'closed' ? Math.max(incident.until ?? Infinity, end) : end;
	incident.until = until === Infinity ? undefined : until;
	incident.to = last.id;
}
