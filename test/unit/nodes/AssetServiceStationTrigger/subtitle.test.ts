import { runInNewContext } from 'node:vm';
import { screen } from '../../../../nodes/AssetServiceStationTrigger/description';

const shown = (parameters: Readonly<Record<string, unknown>>): unknown =>
	runInNewContext(`(${screen.subtitle.slice('={{'.length, -'}}'.length)})`, {
		$parameter: parameters,
	});

it.each([
	[{ triggerOn: 'stationOffline', forMinutes: 1 }, 'Offline for 1 minute'],
	[{ triggerOn: 'stationOffline', forMinutes: 5 }, 'Offline for 5 minutes'],
	[{ triggerOn: 'connectorStatus', forMinutes: 120 }, 'Stuck for 120 minutes'],
	[{ triggerOn: 'connectorFault', times: 1, forMinutes: 0 }, 'Fault'],
	[{ triggerOn: 'connectorFault', times: 1, forMinutes: 1 }, 'Fault for 1 minute'],
	[{ triggerOn: 'connectorFault', times: 3, withinMinutes: 60 }, '3 faults within 60 minutes'],
	[{ triggerOn: 'connectorFault', times: 3, withinMinutes: 1440 }, '3 faults within 24 hours'],
	[{ triggerOn: 'connectorFault', times: 3, withinMinutes: 1441 }, '3 faults within 1441 minutes'],
	[{ triggerOn: 'sessionEnded' }, 'Charging Session Ended'],
])('the screen.subtitle for %j is %s', (parameters, text) => {
	expect(shown(parameters)).toBe(text);
});
