/** The parameters of the station trigger, and what the canvas and the panel next to them show. */
import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';
import type { Kind } from '../../lib/station';
import { accountAccessOptions } from '../../n8n/execution/accountAccess';
import { incidentDelivery } from '../../n8n/fields/deliveryProperties';
import { stationsField } from '../../n8n/fields/stations';
import { DEFAULTS, MOST, NEWEST } from '../../n8n/polling/station/settings';

/** The bounds of a parameter that is a whole number. */
const whole = (minValue: number, maxValue: number) => ({
	minValue,
	maxValue,
	numberPrecision: 0,
});

const faultProperties: INodeProperties[] = [
	{
		displayName: 'Number of Faults',
		name: 'times',
		type: 'number',
		displayOptions: { show: { triggerOn: ['connectorFault'] } },
		typeOptions: whole(1, MOST.times),
		default: 1,
		description: "Report at this number of faults. From 2 on, set 'Within (Minutes)'.",
	},
	{
		displayName: 'Within (Minutes)',
		name: 'withinMinutes',
		type: 'number',
		displayOptions: { show: { triggerOn: ['connectorFault'] }, hide: { times: [1] } },
		typeOptions: whole(1, MOST.forMinutes),
		default: DEFAULTS.withinMinutes,
		description:
			'Time in which these faults have to be reported. After the same time without a fault, the incident is over.',
	},
];

const scope: INodeProperties = {
	displayName: 'One Incident Per',
	name: 'scope',
	type: 'options',
	displayOptions: { show: { '/triggerOn': ['connectorFault'] } },
	options: [
		{ name: 'Connector', value: 'connector', description: 'All faults of a connector' },
		{
			name: 'Connector and Code',
			value: 'code',
			description: 'Faults of a connector with the same error code and vendor error code',
		},
		{ name: 'Station', value: 'station', description: 'All faults of a station' },
	],
	default: 'code',
	description: 'Which faults belong to the same incident',
};

type Lasting = Exclude<Kind, 'sessionEnded'>;
const LASTING: readonly Lasting[] = ['stationOffline', 'connectorStatus', 'connectorFault'];

/** A fault that is counted does not have to last. */
const shownFor = (kind: Kind) => ({
	show: { triggerOn: [kind], ...(kind === 'connectorFault' && { times: [1] }) },
});

const triggerOn: INodeProperties = {
	displayName: 'Trigger On',
	name: 'triggerOn',
	type: 'options',
	options: [
		{
			name: 'Charging Session Ended',
			value: 'sessionEnded',
			action: 'On charging session ended',
			description: 'A session with its start, end and energy',
		},
		{
			name: 'Connector Fault',
			value: 'connectorFault',
			action: 'On connector fault',
			description: 'A connector reports a fault, or several in a period',
		},
		{
			name: 'Connector Stuck in a Status',
			value: 'connectorStatus',
			action: 'On connector stuck in a status',
			description: 'A connector stays in one status too long',
		},
		{
			name: 'Station Offline',
			value: 'stationOffline',
			action: 'On station offline',
			description: 'A station stays disconnected for some minutes',
		},
	],
	default: 'stationOffline',
	description: 'What starts the workflow',
};

/** The statuses of OCPP 1.6 and 2.0.1. */
const statuses: INodeProperties = {
	displayName: 'Statuses',
	name: 'statuses',
	type: 'multiOptions',
	displayOptions: shownFor('connectorStatus'),
	options: [
		'Available',
		'Charging',
		'Faulted',
		'Finishing',
		'Occupied',
		'Preparing',
		'Reserved',
		'SuspendedEV',
		'SuspendedEVSE',
		'Unavailable',
	].map((value) => ({ name: nameOf(value), value })),
	default: [...DEFAULTS.statuses],
	description:
		'In which statuses a connector can be stuck. OCPP 2.0.1 reports Occupied for a connector in use.',
};

const otherStatuses: INodeProperties = {
	displayName: 'Other Statuses',
	name: 'otherStatuses',
	type: 'string',
	displayOptions: { show: { '/triggerOn': ['connectorStatus'] } },
	default: '',
	placeholder: 'e.g. Maintenance',
	description: 'Further statuses, separated by commas, exactly as the stations send them',
};

const reportAfter: INodeProperties[] = LASTING.map((kind) => ({
	displayName: 'Report After (Minutes)',
	name: 'forMinutes',
	type: 'number',
	displayOptions: shownFor(kind),
	typeOptions: whole(0, MOST.forMinutes),
	default: DEFAULTS.byKind[kind].forMinutes,
	description: 'Report the incident once it has lasted this long',
}));

const RESOLVE_AFTER = {
	displayName: 'Resolve After (Minutes)',
	name: 'resolveAfterMinutes',
	type: 'number',
	typeOptions: whole(0, MOST.resolveAfterMinutes),
	description:
		'Report it as resolved once it has been over this long. If it comes back sooner, it is the same incident.',
} satisfies Partial<INodeProperties>;

const resolveAfter: INodeProperties[] = LASTING.map((kind) => ({
	...RESOLVE_AFTER,
	displayOptions: fromOptions(shownFor(kind)),
	default: DEFAULTS.byKind[kind].resolveAfterMinutes,
}));

/** The same condition for a field that is among the options. */
function fromOptions({ show }: ReturnType<typeof shownFor>) {
	return { show: Object.fromEntries(Object.entries(show).map(([name, is]) => [`/${name}`, is])) };
}

/** Also parameters of their own, on the screen only if they are set, so that no setting has an effect that nobody sees. */
const ifSet: INodeProperties[] = [
	{ ...scope, displayOptions: { show: { '/scope': ['connector', 'station'] } } },
	{
		...RESOLVE_AFTER,
		displayOptions: {
			show: { '/resolveAfterMinutes': [{ _cnd: { gte: 0 } }] },
			hide: { '/triggerOn': ['sessionEnded'], '/times': [{ _cnd: { gt: 1 } }] },
		},
		// Not set: the default depends on the kind.
		default: -1,
	},
];

/** The fields that Get Incidents of the action node has as well. */
export const incidentFields = {
	triggerOn,
	statuses,
	otherStatuses,
	faultProperties,
	reportAfter,
	ifSet,
	options: [scope, otherStatuses, ...resolveAfter],
};

const reportResolved: INodeProperties = {
	displayName: 'Report When Resolved',
	name: 'reportResolved',
	type: 'boolean',
	displayOptions: { hide: { triggerOn: ['sessionEnded'] } },
	default: true,
	description: 'Whether to add a second output for incidents that are over',
};

const catchUpHours: INodeProperties = {
	displayName: 'Catch Up (Hours)',
	name: 'catchUpHours',
	type: 'number',
	typeOptions: whole(1, MOST.catchUpHours),
	default: DEFAULTS.catchUpHours,
	description:
		'How far back to read the list when the workflow is first published, and after a pause. Incidents of the pause are reported then.',
};

const includeIdTag: INodeProperties = {
	displayName: 'Include ID Tag',
	name: 'includeIdTag',
	type: 'boolean',
	displayOptions: { show: { '/triggerOn': ['sessionEnded'] } },
	default: false,
	description:
		'Whether a session has the RFID tag or token of the driver, which is personal data. It is then also kept in the event ledger.',
};

const onlyStations = stationsField(
	{
		displayName: 'Only These Stations',
		name: 'onlyStations',
		description:
			'Stations to report incidents of; all stations if there is none. After a change, the trigger starts over.',
	},
	{ noDataExpression: true },
);

const testWith: INodeProperties = {
	displayName: 'Test With',
	name: 'testWith',
	type: 'resourceLocator',
	default: { mode: 'list', value: NEWEST, cachedResultName: 'Newest' },
	description: 'Which incident a test in the editor shows',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select an incident...',
			hint: 'Incidents of the last 7 days that fit the settings, newest first',
			typeOptions: { searchListMethod: 'searchIncidents', searchable: true },
		},
	],
};

/** Expressions have no place in a trigger; Get Incidents lets them, and AI agents, fill in the same fields. */
const literal = (field: INodeProperties): INodeProperties => ({ ...field, noDataExpression: true });

const delivery = incidentDelivery();

const properties: INodeProperties[] = [
	{
		displayName: 'Incidents that began before the workflow was first published are not reported.',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	...[triggerOn, statuses, ...faultProperties, ...reportAfter, reportResolved, ...ifSet].map(
		literal,
	),
	...delivery.fields,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			literal(catchUpHours),
			...delivery.options,
			...[includeIdTag, scope, otherStatuses, ...resolveAfter].map(literal),
			...accountAccessOptions,
			onlyStations,
			literal(testWith),
		],
	},
];

/** `SuspendedEV` becomes `Suspended EV`. */
function nameOf(status: string): string {
	return status.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

/** Such as `5 minutes`; longer ones in whole hours, such as `24 hours`. */
const minutes = (name: string) => {
	const value = `$parameter["${name}"]`;
	return `(${value} > 120 && ${value} % 60 === 0 ? ${value} / 60 + " hours" : ${value} + (${value} === 1 ? " minute" : " minutes"))`;
};

/** Such as `Offline for 5 minutes`. */
const subtitle = `={{ {
	stationOffline: "Offline for " + ${minutes('forMinutes')},
	connectorStatus: "Stuck for " + ${minutes('forMinutes')},
	connectorFault: $parameter["times"] > 1 ? $parameter["times"] + " faults within " + ${minutes('withinMinutes')} : $parameter["forMinutes"] > 0 ? "Fault for " + ${minutes('forMinutes')} : "Fault",
	sessionEnded: "Charging Session Ended",
}[$parameter["triggerOn"]] }}`.replace(/\n\t?/g, ' ');

const twoOutputs = ['Opened', 'Resolved'].map((name) => `{ type: "main", displayName: "${name}" }`);

/**
 * Two where an incident opens and resolves. n8n runs `execute` of a trigger that has one, and routes the lists that it
 * returns by their order; the node's `toOutputs` decides in the same way.
 */
const outputs =
	`={{ $parameter["triggerOn"] !== "sessionEnded" && $parameter["reportResolved"] !== false ? [${twoOutputs.join(', ')}] : [{ type: "main" }] }}` as const;

const TEST =
	"<b>Test</b>: the button fetches the newest incident of the last days that fits the settings, and says how many they would have reported. If there is none, you get a sample. Both are marked 'test'.";
const PRODUCTION =
	'n8n lists the events at the <b>Poll Times</b> and starts the workflow once for each incident that opens, and once when it resolves. You see these executions in the <b>Executions</b> tab.';

/** What the editor shows next to the parameters: n8n's own text speaks of a mock event. */
const triggerPanel: TriggerPanelDefinition = {
	header: 'Fetch an incident from the list',
	executionsHelp: {
		inactive: `${TEST}<br /><br /><b>In production</b>: publish the workflow. ${PRODUCTION}`,
		active: `${TEST}<br /><br /><b>In production</b>: ${PRODUCTION}`,
	},
	activationHint: {
		inactive: 'Publish the workflow to look for incidents regularly.',
		active:
			'The workflow is published and looks for incidents regularly. You see its executions in the <b>Executions</b> tab.',
	},
};

export const screen = { properties, subtitle, outputs, triggerPanel };
