/** Random histories of a station's states, the same for the same seed: places, components, boots, outages, problems, updates, silence. */
import { createRandom, type Random } from '../../../simulator/data/random';
import { MINUTE } from '../../unit/station/stationWorld';
import { FROM, placeName, type Step, type StatusStep, type Version } from './history';

const SECOND = 1_000;
const HOUR = 60 * MINUTE;

/** What a history can have besides statuses of connectors. */
const TOPICS = ['components', 'boots', 'outages', 'problems', 'use', 'station'] as const;
type Topic = (typeof TOPICS)[number];

export interface Plan {
	readonly seed: number;
	readonly version: Version | 'updated';
	readonly topics: ReadonlySet<Topic>;
	readonly steps: readonly Step[];
	/** When it ends. */
	readonly to: number;
	readonly isLate: boolean;
	/** Whether the station is heard of after the end. */
	readonly isHeardAfterwards: boolean;
}

/** With the message that shows that the station lives. */
export function stepsOf({ steps, version, to, isHeardAfterwards }: Plan): readonly Step[] {
	if (!isHeardAfterwards) return steps;
	const last = Math.max(to, ...steps.map(({ at }) => at)) + 3 * MINUTE;
	const speaks = version === '1.6' ? '1.6' : '2.0.1';
	return [...steps, { at: last, version: speaks, what: 'heartbeat' }];
}

type Connector = { readonly evse?: number; readonly connector: number };

export function planOf(seed: number, version: Version | 'updated'): Plan {
	const random = createRandom(seed * 11 + 3);
	const chance = (percent: number) => random.int(100) < percent;
	const isSilent = chance(15);
	const topics = new Set(TOPICS.filter(() => chance(40)));
	const length = isSilent ? 5 * 24 * HOUR : 8 * HOUR;
	const isLate = !isSilent && chance(20);
	const to = FROM + length;
	const first: Version = version === '2.0.1' ? '2.0.1' : '1.6';
	let connectors = connectorsOf(random, first);
	let speaks: Version = first;
	const steps: Step[] = [];
	let at = FROM + random.int(20 * MINUTE);
	const add = (step: Step) => void steps.push(step);
	const report = (where: Connector, status: string, more: Partial<StatusStep> = {}) => {
		at += 1 + random.int(20 * SECOND);
		const isNotified = speaks === '2.0.1' && chance(30);
		add({
			at,
			version: speaks,
			what: 'status',
			component: 'Connector',
			...where,
			status,
			isNotified,
			...more,
		});
	};
	/** The last one may be heard of later. */
	const all = connectors.length > 1 && chance(30) ? connectors.slice(0, -1) : connectors;
	for (const one of all) report(one, 'Available');
	const count = isSilent ? 8 + random.int(10) : 5 + random.int(25);
	const updateAt = version === 'updated' ? 2 + random.int(count - 4) : -1;
	for (let n = 0; n < count && at < to; n++) {
		at += pauseOf(random, isSilent);
		if (n === updateAt) {
			speaks = '2.0.1';
			connectors = connectorsOf(random, speaks);
			if (chance(70)) add({ at, version: speaks, what: 'boot', how: 'Accepted' });
			// Its statuses can come after the ten minutes.
			if (chance(40)) at += 11 * MINUTE + random.int(HOUR);
			for (const one of connectors) report(one, random.pick(['Available', 'Available', 'Faulted']));
			continue;
		}
		const topic = random.pick<Topic | 'status'>(['status', 'status', ...topics]);
		tell(topic);
	}
	const within = steps.filter((step) => step.at < to);
	return {
		...{ seed, version, topics, to, isLate, isHeardAfterwards: !isSilent || chance(50) },
		steps: isLate
			? within.map((step) => (chance(20) ? { ...step, lateMs: random.int(9 * MINUTE) } : step))
			: within,
	};

	function tell(topic: Topic | 'status'): void {
		const version = speaks;
		const one = random.pick(connectors as [Connector, ...Connector[]]);
		switch (topic) {
			case 'status':
				report(one, statusOf(random, speaks));
				return;
			case 'station':
				report({ connector: 0 }, random.pick(['Available', 'Faulted', 'Unavailable']), {
					component: 'ChargingStation',
					...(speaks === '2.0.1' ? { isNotified: true, connector: undefined as never } : {}),
				});
				return;
			case 'components': {
				if (speaks === '1.6') return;
				const { evse = 1 } = one;
				const component = random.pick(['EVSE', 'Connector'] as const);
				const status = random.pick(['Available', 'Faulted', 'Unavailable']);
				at += SECOND;
				add({ at, version, what: 'status', component, evse, status, isNotified: true });
				return;
			}
			case 'use': {
				if (speaks === '1.6') {
					report(one, random.pick(['Charging', 'SuspendedEV']));
					return;
				}
				const place = { evse: one.evse ?? 1, connector: one.connector };
				const last = steps.findLast(
					(step) => step.what === 'use' && placeName(step) === placeName(place),
				);
				const isCharging = !(last?.what === 'use' && last.isCharging);
				add({ at, version, what: 'use', ...place, isCharging });
				return;
			}
			case 'problems': {
				if (speaks === '1.6') return;
				const techCode = random.pick([undefined, 'A', 'B']);
				const isOver = chance(45);
				add({
					...{ at, version, what: 'problem', name: random.pick(['Lock', 'Cooling']) },
					...(chance(70) ? one : chance(50) ? { evse: one.evse ?? 1 } : {}),
					...(techCode !== undefined && { techCode }),
					isOver,
					...{ isCleared: isOver && chance(30), isMonitored: chance(15) },
				});
				return;
			}
			case 'boots':
				boot();
				return;
			case 'outages':
				outage();
		}
	}

	function boot(): void {
		const how = random.pick([
			'Accepted',
			'Accepted',
			'Accepted',
			'unanswered',
			'asked for',
			'Pending',
		] as const);
		add({ at, version: speaks, what: 'boot', how });
		const isQuiet = chance(20);
		for (const one of isQuiet ? [] : connectors) {
			if (chance(25)) continue;
			const before = steps.findLast(
				(step): step is StatusStep => step.what === 'status' && placeName(step) === placeName(one),
			);
			at += random.int(60) * SECOND;
			report(one, chance(50) ? (before?.status ?? 'Available') : statusOf(random, speaks));
		}
		// Then the ten minutes are surely over.
		at += 12 * MINUTE;
	}

	function outage(): void {
		add({ at, version: speaks, what: 'lost' });
		if (chance(25)) {
			// From the old socket, or of a station that is still there.
			at += (5 + random.int(50)) * SECOND;
			add({ at, version: speaks, what: 'heartbeat' });
			at += chance(50) ? (2 + random.int(25)) * MINUTE : (35 + random.int(60)) * MINUTE;
			add({ at, version: speaks, what: 'heartbeat' });
			return;
		}
		if (chance(20)) {
			at += (1 + random.int(5)) * MINUTE;
			add({ at, version: speaks, what: 'command' });
		}
		at += (2 + random.int(40)) * MINUTE;
		if (chance(60)) add({ at, version: speaks, what: 'back' });
		else if (chance(50)) add({ at, version: speaks, what: 'heartbeat' });
		else boot();
	}
}

function pauseOf(random: Random, isSilent: boolean): number {
	if (isSilent && random.int(3) === 0) return (20 + random.int(30)) * HOUR + random.int(HOUR);
	const most = random.pick([4, 20, 60]);
	return (2 + random.int(most)) * MINUTE + random.int(60) * SECOND + random.int(1_000);
}

function connectorsOf(random: Random, version: Version): Connector[] {
	if (version === '1.6') {
		return Array.from({ length: 1 + random.int(3) }, (_unused, n) => ({ connector: n + 1 }));
	}
	return Array.from({ length: 1 + random.int(2) }, (_unused, n) => n + 1).flatMap((evse) =>
		Array.from({ length: 1 + random.int(2) }, (_unused, n) => ({ evse, connector: n + 1 })),
	);
}

const statusOf = (random: Random, version: Version): string =>
	version === '1.6'
		? random.pick([
				'Available',
				'Preparing',
				'Charging',
				'Finishing',
				'Faulted',
				'Faulted',
				'Unavailable',
			])
		: random.pick(['Available', 'Occupied', 'Reserved', 'Faulted', 'Faulted', 'Unavailable']);
