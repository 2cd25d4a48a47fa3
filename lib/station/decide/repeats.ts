/**
 * Incidents of faults that come several times within a time. One opens with the last of them, and ends when no fault
 * has come for that time and none of them lasts. Faults in between belong to it.
 */
import type { Fault, Incident } from '../common/state';
import { type CountedFault, countFault } from '../fold/faults';
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
		overAt = Math.max(overAt, counted.fault.until ?? Infinity);
		addTo(incident, counted, { withinMs, overAt });
	};
	for (const counted of faults) {
		const { fault } = counted;
		if (fault.t > horizon) break;
		close(fault.t - 1);
		if (latest !== undefined && fault.t <= (latest.until ?? Infinity)) {
			if (fault.t >= latest.since) add(latest, counted);
			continue;
		}
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

function addTo(
	incident: Incident,
	fault: CountedFault,
	{ withinMs, overAt }: { readonly withinMs: number; readonly overAt: number },
): void {
	countFault(incident, fault);
	const last = incident.faults?.at(-1);
	// A later report of a known fault may be the first that names a code.
	incident.d = last?.d;
	if (last === undefined) return;
	const end = Math.max(last.t + withinMs, overAt);
	// A late report can show that it was over earlier, unless its end has been reported.
	const until = incident.reported === 'closed' ? Math.max(incident.until ?? Infinity, end) : end;
	incident.until = until === Infinity ? undefined : until;
	incident.to = last.id;
}
