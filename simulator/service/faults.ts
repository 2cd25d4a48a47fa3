/** Requested faults, and which request each one applies to. */
import type { Fault, Faults } from '../shared/types';

interface ActiveFault {
	readonly fault: Fault;
	timesLeft: number;
}

interface FaultyRequest {
	readonly method: string;
	/** Without the query string. */
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
}

export class FaultList implements Faults {
	private readonly active: ActiveFault[] = [];

	add(fault: Fault): void {
		this.active.push({ fault, timesLeft: fault.times ?? Infinity });
	}

	clear(): void {
		this.active.length = 0;
	}

	/** The first fault that matches and has times left; uses up one of them. */
	take(request: FaultyRequest): Fault | undefined {
		const hit = this.active.find(
			({ fault, timesLeft }) => timesLeft > 0 && matches(fault, request),
		);
		if (hit) hit.timesLeft -= 1;
		return hit?.fault;
	}
}

function matches(fault: Fault, { method, path, query }: FaultyRequest): boolean {
	if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false;
	if (fault.queryParameter !== undefined && !Object.hasOwn(query, fault.queryParameter))
		return false;
	if (typeof fault.path === 'string') return fault.path === path;
	// Not test(): an expression with the g flag remembers where it stopped.
	return path.search(fault.path) !== -1;
}
