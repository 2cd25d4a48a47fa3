import { eventTypeFilter, readConditions, unwanted } from '../../../lib/event';

const wanted = {
	isWanted: eventTypeFilter(['asset.*']),
	conditions: readConditions({
		condition: [{ field: 'data.site', operator: 'equals', value: 'north' }],
	}),
};
const reason = (type: string, site: string) =>
	unwanted({ id: 'whevt_1', type, record: { data: { site } } }, wanted);

describe('an event', () => {
	it('is wanted by its type and its conditions', () => {
		expect(reason('asset.created', 'north')).toBeUndefined();
	});

	it('is unwanted for what it does not meet first', () => {
		expect(reason('ocpp.message', 'south')).toBe('its type is not among Event Types');
		expect(reason('asset.created', 'south')).toBe(
			'it does not meet the condition “data.site equals north”',
		);
	});
});
