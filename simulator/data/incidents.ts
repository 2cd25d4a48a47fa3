/** What truly happened at the stations, noted as their messages are created, so that a test can compare reports with it. */
import type { Incident } from '../shared/types';

/** The facts of an incident that do not depend on when its messages are sent. */
export type Happening = Omit<Incident, 'assetId' | 'since' | 'until' | 'events'>;

/** What a message shows: from now on, this part of its station is in this state, or in none. */
export interface Mark {
	/** Unique within the station, such as `status 1`. */
	readonly part: string;
	readonly begins?: Happening;
	/** Facts that are only known at the end. */
	readonly ends?: Partial<Happening>;
}

interface Shown {
	readonly id: string;
	readonly createdAt: string;
	readonly assetId: string;
}

export class Incidents {
	private readonly open = new Map<string, Incident>();
	private readonly noted: Incident[] = [];

	/** In the order in which they began. */
	get all(): readonly Incident[] {
		return this.noted;
	}

	note({ id, createdAt, assetId }: Shown, marks: readonly Mark[] = []): void {
		for (const { part, begins, ends } of marks) {
			const key = `${assetId} ${part}`;
			const before = this.open.get(key);
			if (before) {
				Object.assign(before, ends, { until: createdAt, events: [...before.events, id] });
				this.open.delete(key);
			}
			if (!begins) continue;
			const incident = { assetId, ...begins, since: createdAt, until: null, events: [id] };
			this.open.set(key, incident);
			this.noted.push(incident);
		}
	}
}
