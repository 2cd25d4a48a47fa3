/**
 * Incidents of faults that come several times within a time. One opens with the last of them, and ends when no fault
 * has come for that time. Faults in between belong to it.
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
	/** Since the latest incident. */
	let window: CountedFault[] = [];
	const close = (at: number) => {
		if (latest?.until === undefined || latest.reported === 'closed' || latest.until > at) return;
		if (latest.reported === 'opened') {
			steps.push({ step: 'closed', incident: { ...latest }, until: latest.until });
		}
		latest.reported = 'closed';
	};
	for (const counted of faults) {
		const { fault } = counted;
		if (fault.t > horizon) break;
		close(fault.t - 1);
		if (latest !== undefined && fault.t <= (latest.until ?? Infinity)) {
			if (fault.t >= latest.since) addTo(latest, counted, withinMs);
			continue;
		}
		window = [...window.filter((one) => fault.t - one.fault.t <= withinMs), counted];
		const [first] = window;
		if (first === undefined || window.length < times) continue;
		latest = open(first.fault);
		for (const one of window) addTo(latest, one, withinMs);
		if (latest.reported === 'opened') steps.push({ step: 'opened', incident: { ...latest } });
		window = [];
	}
	close(watermark);
	return { steps, latest };
}

function addTo(incident: Incident, fault: CountedFault, withinMs: number): void {
	const before = incident.faults?.at(-1)?.t;
	countFault(incident, fault);
	const last = incident.faults?.at(-1);
	// A later report of a known fault may be the first that names a code.
	incident.d = last?.d;
	// Or an earlier one was listed late: then it is over earlier, unless that has been reported.
	if (last === undefined || last.t === before) return;
	const end = last.t + withinMs;
	incident.until = incident.reported === 'closed' ? Math.max(incident.until ?? 0, end) : end;
	incident.to = last.id;
}
