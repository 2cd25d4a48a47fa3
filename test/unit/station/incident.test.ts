/** The items that report an incident, of as much as is known of it. */
import { incidentId, openedEntry, resolvedEntry } from '../../../lib/station/common/incident';
import type { Incident } from '../../../lib/station/common/state';
import { time } from './stationWorld';

const SINCE = time('09:00');
const INCIDENT: Incident = { id: 'inc_1', since: SINCE, reported: 'opened', from: 'a' };
const at = (watermark: string, kind: 'connectorStatus' | 'connectorFault' = 'connectorStatus') => ({
	...{ kind, assetId: 's1', watermark: time(watermark) },
});

it('has null for what is unknown, and no faults', () => {
	const { id, t, assetId, item } = openedEntry(INCIDENT, at('09:05:59', 'connectorFault'));
	expect([id, t, assetId]).toEqual(['inc_1.opened', SINCE, 's1']);
	expect(item).toEqual({
		...{ connector: null, since: '2026-11-23T09:00:00.000Z', minutes: 5, until: null },
		...{ errorCode: null, vendorErrorCode: null, info: null, errorCodes: [], vendorErrorCodes: [] },
		...{ count: 1, faults: [], state: 'opened', kind: 'connectorFault' },
		...{ id: 'inc_1.opened', incident: 'inc_1', events: ['a'] },
	});
	expect(openedEntry(INCIDENT, at('09:05')).item).toMatchObject({ status: null });
});

it('names the event that ended it once it is over, and never takes less than no time', () => {
	const ended = { ...INCIDENT, to: 'b' };
	expect(openedEntry(ended, at('08:50')).item).toMatchObject({ events: ['a'], minutes: 0 });
	const over = openedEntry(ended, at('09:10'), time('09:02'));
	expect(over.item).toMatchObject({ events: ['a', 'b'], until: '2026-11-23T09:02:00.000Z' });
	const { t, item } = resolvedEntry(ended, at('09:10'), time('09:02'), 'report');
	expect([t, item['minutes'], item['events']]).toEqual([time('09:02'), 2, ['a', 'b']]);
	const removed = resolvedEntry(INCIDENT, at('09:10'), time('09:02'), 'removed');
	expect(removed.item).toMatchObject({ events: ['a'], endedBy: 'removed', id: 'inc_1.resolved' });
});

it('has an ID of its own that fits an OCPP message, the same in every version', () => {
	const owner = { workflowId: 'w', nodeId: 'n' };
	const id = incidentId(owner, 'stationOffline', ['s1', '', SINCE]);
	expect(id).toBe('inc_rwno1wLZnFwUV93HPZQxPh');
	expect(`${id}.resolved`.length).toBeLessThanOrEqual(36);
	const others = [
		incidentId({ ...owner, workflowId: 'v' }, 'stationOffline', ['s1', '', SINCE]),
		incidentId({ ...owner, nodeId: 'm' }, 'stationOffline', ['s1', '', SINCE]),
		incidentId(owner, 'connectorStatus', ['s1', '', SINCE]),
		incidentId(owner, 'stationOffline', ['s1', '', SINCE + 1]),
	];
	expect(new Set([id, ...others]).size).toBe(5);
	expect(incidentId(owner, 'sessionEnded', ['s1', '7'])).toMatch(/^ses_[\w-]{22}$/);
});
