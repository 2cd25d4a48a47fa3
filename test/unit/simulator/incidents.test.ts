/** The simulator's record of what happened agrees with the messages that its stations sent, in both OCPP versions. */
import { asRecord } from '../../../lib/shared/values';
import type { DeliveredEvent, Incident } from '../../../simulator';
import { setUp, START } from './world';

type Json = Readonly<Record<string, unknown>>;

/** A state of one part of a station, as its messages report it. */
interface Report {
	readonly part: string;
	/** Undefined if the part is well again. */
	readonly state: string | undefined;
	readonly event: DeliveredEvent;
}

/** Read by hand from the payloads, without the code that made them. */
function reportsOf(event: DeliveredEvent): Report[] {
	const { type, data } = event;
	const assetId = String(asRecord(data['asset'])['id']);
	const payload = asRecord(data['payload']);
	const report = (kind: string, where: unknown, state: unknown, isWell: boolean): Report => ({
		part: `${kind} ${assetId} ${String(where)}`,
		state: isWell ? undefined : String(state),
		event,
	});
	const ofStatus = (where: string, status: unknown): Report[] => [
		report('connectorStatus', where, status, status === 'Available'),
		report('connectorFault', where, payload['errorCode'] ?? null, status !== 'Faulted'),
	];
	const listed = payload['eventData'];
	if (type === 'asset.connectivity') {
		return [report('stationOffline', null, 'offline', data['status'] === 'CONNECTED')];
	}
	switch (data['action']) {
		case 'StatusNotification':
			return data['protocol'] === 'ocpp1.6'
				? payload['connectorId'] === 0
					? []
					: ofStatus(String(payload['connectorId']), payload['status'])
				: ofStatus(
						`${String(payload['evseId'])}/${String(payload['connectorId'])}`,
						payload['connectorStatus'],
					);
		case 'NotifyEvent':
			return (Array.isArray(listed) ? listed : []).flatMap((each) => {
				const { component, variable, actualValue, techCode } = asRecord(each);
				const { id, connectorId } = asRecord(asRecord(component)['evse']);
				if (asRecord(variable)['name'] === 'Problem') {
					return [report('connectorFault', id, techCode, actualValue !== 'true')];
				}
				if (asRecord(variable)['name'] !== 'AvailabilityState') return [];
				return ofStatus(`${String(id)}/${String(connectorId)}`, actualValue);
			});
		default:
			return [];
	}
}

type Span = Pick<Incident, 'since' | 'until' | 'events'> & { what: string };

function spansIn(events: readonly DeliveredEvent[]): Span[] {
	const open = new Map<string, Span>();
	const spans: Span[] = [];
	for (const { part, state, event } of events.flatMap(reportsOf)) {
		// A connector that reports Faulted while its EVSE has a problem has the same fault.
		const evse = part.replace(/\/\d+$/, '');
		if (evse !== part && open.has(evse)) continue;
		const before = open.get(part);
		if (before) {
			Object.assign(before, { until: event.createdAt, events: [...before.events, event.id] });
			open.delete(part);
		}
		if (state === undefined) continue;
		const span = {
			what: `${part} ${state}`,
			since: event.createdAt,
			until: null,
			events: [event.id],
		};
		open.set(part, span);
		spans.push(span);
	}
	return spans;
}

function spanOf({ since, until, events, ...incident }: Incident): Span {
	const { kind, assetId, connector, status, errorCode } = incident;
	const state = status ?? (kind === 'stationOffline' ? 'offline' : errorCode);
	return { what: [kind, assetId, connector, state].map(String).join(' '), since, until, events };
}

const inOrder = (spans: readonly Span[]) =>
	spans.toSorted((a, b) => `${a.since} ${a.what}`.localeCompare(`${b.since} ${b.what}`));

const isSession = ({ kind }: Incident) => kind === 'session';
const KINDS = ['stationOffline', 'connectorStatus', 'connectorFault', 'session'];
const DAY_HOURS = 24;

/** The events of the network, read from its list as a client does. */
async function listed(pages: (path: string) => Promise<{ id: string }[][]>) {
	const found = (await pages('/webhooks/v1/webhook-events?limit=100')).flat() as unknown as Json[];
	return found
		.map(({ eventType, payload, ...event }) => ({ ...event, type: eventType, data: payload }))
		.reverse() as unknown as DeliveredEvent[];
}

/** So slow that the list of a month is read in a moment; stories take longer than in the field by this factor. */
const SLOWER = 15;

describe.each(['field', 'network'] as const)('the record of the profile %s', (profile) => {
	const make = async () => {
		const options = { profile, assets: 30, events: 8_000, eventsPerSecond: 0.027 / SLOWER };
		const { simulator, pages } = await setUp({ ...options, now: () => START });
		const events = profile === 'field' ? [...simulator.events] : await listed(pages);
		return { events, incidents: [...simulator.incidents(30 * DAY_HOURS)] };
	};
	let built: ReturnType<typeof make> | undefined;
	/** Made once, since the list of a month takes seconds. */
	const build = () => (built ??= make());

	it('has each state that the messages report, with its times and events', async () => {
		const { events, incidents } = await build();
		const spans = inOrder(incidents.filter((one) => !isSession(one)).map(spanOf));
		const firstId = new Set(events.map(({ id }) => id));
		// What began before the list does is in the record of the network only.
		const known = spans.filter((span) => span.events.every((id) => firstId.has(id)));
		expect(known.length).toBeGreaterThan(100);
		expect(inOrder(spansIn(events))).toEqual(known);
	});

	it('has each session, with its energy as the meter values show it', async () => {
		const { events, incidents } = await build();
		const ids = new Set(events.map(({ id }) => id));
		const sessions = incidents.filter(
			(one) => isSession(one) && one.until !== null && one.events.every((id) => ids.has(id)),
		);
		const byId = new Map(events.map((event) => [event.id, event]));
		expect(sessions.length).toBeGreaterThan(20);
		for (const {
			protocol,
			assetId,
			transactionId,
			meterStartWh,
			meterStopWh,
			...one
		} of sessions) {
			const [start, stop] = one.events.map((id) => byId.get(id)?.data ?? {});
			expect(asRecord(start?.['asset'])['id']).toBe(assetId);
			const [begun, ended] = [asRecord(start?.['payload']), asRecord(stop?.['payload'])];
			if (protocol === 'ocpp1.6') {
				expect(begun).toMatchObject({ meterStart: meterStartWh });
				expect(ended).toMatchObject({
					transactionId: Number(transactionId),
					meterStop: meterStopWh,
				});
				continue;
			}
			const registers = [begun, ended].map(
				({ meterValue }) => (meterValue as { sampledValue: { value: number }[] }[])[0],
			);
			expect(registers.map((each) => each?.sampledValue[0]?.value)).toEqual([
				meterStartWh,
				meterStopWh,
			]);
			expect([begun, ended]).toMatchObject([
				{ eventType: 'Started', seqNo: 0, transactionInfo: { transactionId } },
				{ eventType: 'Ended', transactionInfo: { transactionId, stoppedReason: one.reason } },
			]);
		}
	});

	it('has every kind, from stations of both versions, and faults that repeat', async () => {
		// Only the record is read here: a list this long would take a while.
		const options = { profile, assets: 300, events: 8_000, eventsPerSecond: 0.27 };
		const { simulator } = await setUp({ ...options, now: () => START });
		const incidents = simulator.incidents(3 * DAY_HOURS);
		const kinds = new Set(incidents.map(({ kind, protocol }) => `${protocol} ${kind}`));
		const all = ['ocpp1.6', 'ocpp2.0.1'].flatMap((protocol) =>
			KINDS.map((kind) => `${protocol} ${kind}`),
		);
		expect([...kinds].sort()).toEqual(all.sort());
		const faults = incidents.filter(({ kind }) => kind === 'connectorFault');
		const repeated = faults.filter(({ assetId, since }) => {
			const near = faults.filter(
				(each) =>
					each.assetId === assetId &&
					Math.abs(Date.parse(each.since) - Date.parse(since)) < 6 * 3_600_000,
			);
			return near.length >= 3;
		});
		expect(repeated).not.toEqual([]);
		const stuck = incidents.filter(
			({ kind, since, until }) =>
				kind === 'connectorStatus' && Date.parse(until ?? '') - Date.parse(since) > 7_200_000,
		);
		expect(stuck).not.toEqual([]);
	});
});

it('is shown over HTTP, and has nothing of events that a test made up', async () => {
	const { simulator } = await setUp({ profile: 'field', events: 2_000, now: () => START });
	const before = simulator.incidents().length;
	const data = { asset: { id: 'asset_1' }, status: 'DISCONNECTED' };
	await simulator.emit({ type: 'asset.connectivity', data });
	expect(simulator.incidents()).toHaveLength(before);
	const response = await fetch(`${simulator.baseUrl}/_simulator/incidents`);
	expect(await response.json()).toEqual(simulator.incidents());
});
