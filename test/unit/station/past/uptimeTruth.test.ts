/** Uptime against what truly happened in the simulator's network. `STATIONS` sets the number of histories: 100 in `nightly.yml`. */
import { activated, generateAssets } from '../../../../simulator/data/assets';
import { ComputedNetwork } from '../../../../simulator/data/network/network';
import type { Incident } from '../../../../simulator/shared/types';
import { casesOf } from '../../../support/cases';
import { MINUTE, type StationEvent } from '../stationWorld';
import { uptime } from './pastWorld';

const STATIONS = casesOf({ few: 8, all: 20, variable: 'STATIONS' });
/** Ten times as many as in the field, for more outages. */
const PER_SECOND = STATIONS * 0.009;
const FROM = Date.UTC(2026, 0, 10, 6);
const TO = FROM + 12 * 60 * MINUTE;
const LOOK_BACK_MS = 6 * 60 * MINUTE;

const assets = generateAssets(STATIONS).map(activated);
const network = new ComputedNetwork(assets, PER_SECOND);

function listed(): StationEvent[] {
	const events: StationEvent[] = [];
	for (let slot = network.slotAt(FROM - LOOK_BACK_MS); slot <= network.slotAt(TO); slot++) {
		const event = network.eventAt(slot);
		if (event === undefined) continue;
		const { id, type: eventType, createdAt, data: payload } = event;
		const record = { id, eventType, createdAt, payload };
		events.push({ id, createdAt, listedAt: Date.parse(createdAt), record });
	}
	return events;
}

/** By its statuses: a problem of a component is an alarm. */
const isDown = ({ kind, status }: Incident) =>
	kind === 'stationOffline' ||
	(kind === 'connectorStatus' && (status === 'Unavailable' || status === 'Faulted'));

/** The minutes in which one of the incidents lasted. */
function downMinutes(incidents: readonly Incident[]): number {
	const spans = incidents
		.map(({ since, until }) => [
			Math.max(FROM, Date.parse(since)),
			Math.min(TO, until === null ? Infinity : Date.parse(until)),
		])
		.filter(([from = 0, to = 0]) => from < to)
		.sort(([a = 0], [b = 0]) => a - b);
	let [down, end] = [0, -Infinity];
	for (const [from = 0, to = 0] of spans) {
		down += Math.max(0, to - Math.max(from, end));
		end = Math.max(end, to);
	}
	return down / MINUTE;
}

it('is that of the simulator to the minute where the list can show it, and never above it', async () => {
	const truth = Map.groupBy(
		network.incidents(FROM - LOOK_BACK_MS, TO).filter(isDown),
		({ assetId }) => assetId,
	);
	const found = await uptime(
		listed(),
		{},
		{
			...{ from: FROM, to: TO, now: TO + 10 * MINUTE, lookBackMs: LOOK_BACK_MS },
			assets: assets.map(({ id }) => id),
		},
	);
	let [known, down] = [0, 0];
	for (const item of found) {
		const { station, connector, upMinutes, downMinutes: shown, unknownMinutes } = item;
		const { id } = station as { id: string };
		const evse = String(connector).split('/')[0];
		const own = (truth.get(id) ?? []).filter(
			(one) => one.connector === null || [connector, evse].includes(one.connector),
		);
		const expected = downMinutes(own);
		const total = (TO - FROM) / MINUTE;
		expect([id, connector, Number(upMinutes) <= total - expected + 1]).toEqual([
			id,
			connector,
			true,
		]);
		if (unknownMinutes !== 0) continue;
		known += 1;
		down += Number(shown);
		const difference = Math.abs(Number(shown) - expected);
		expect([id, connector, shown, expected, difference <= 1]).toEqual([
			...[id, connector, shown, expected, true],
		]);
	}
	expect(known).toBeGreaterThan(STATIONS / 4);
	expect(down).toBeGreaterThan(0);
}, 300_000);
