import { runInNewContext } from 'node:vm';
import { wantedSubtitle } from '../../../../n8n/fields/conditions';

const shown = (parameters: Readonly<Record<string, unknown>>): unknown =>
	runInNewContext(wantedSubtitle.slice('={{'.length, -'}}'.length), { $parameter: parameters });

const conditions = (...all: readonly (readonly [string, string, string?])[]) => ({
	conditions: {
		condition: all.map(([field, operator, value]) => ({
			...{ field, path: 'data.payload.info', operator },
			...(value !== undefined && { value }),
		})),
	},
});

it.each([
	[{}, 'All Events'],
	[{ eventTypes: [], conditions: {} }, 'All Events'],
	[{ eventTypes: ['ocpp.message', 'asset.*'] }, 'OCPP Message, asset.*'],
	[{ eventTypes: ['__other__'], otherEventTypes: 'site.*' }, 'site.*'],
	[
		{
			...{ eventTypes: ['ocpp.message'] },
			...conditions(
				['data.action', 'equals', 'StatusNotification'],
				['data.payload.status', 'equals', 'Faulted'],
			),
		},
		'StatusNotification, Faulted',
	],
	[
		conditions(['data.payload.connectorId', 'greaterThan', '0'], ['type', 'notEquals', 'a']),
		'> 0, not a',
	],
	[
		conditions(['data.payload.errorCode', 'exists'], ['other', 'notExists']),
		'has errorCode, no info',
	],
])('the subtitle for %j is %s', (parameters, text) => {
	expect(shown(parameters)).toBe(text);
});
