/** The code reads what the editor offers: names of parameters and options, their values, and the nodes themselves. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
	IHookFunctions,
	INode,
	INodeParameters,
	INodeProperties,
	INodeType,
} from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetServiceSigningSecretApi } from '../../../credentials/AssetServiceSigningSecretApi.credentials';
import {
	OPERATORS,
	OTHER_FIELD,
	readConditions,
	type Wanted,
	type ReadParameter,
} from '../../../lib/event';
import { readTriggerSettings } from '../../../lib/receiver';
import { checkSigningSettings, createVerifier } from '../../../lib/signature';
import { MINUTE_MS, type StationSettings } from '../../../lib/station';
import { endpointOf, isAutomatic } from '../../../n8n/endpoint/registration';
import { triggerSettingsOf } from '../../../n8n/execution/accountAccess';
import { conditionsPropertyFor } from '../../../n8n/fields/conditions';
import { readPollSettings } from '../../../n8n/polling/poll';
import {
	checkStationSettings,
	DEFAULTS,
	readStationSettings,
} from '../../../n8n/polling/station/settings';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import packageJson from '../../../package.json';
import { generateAssets } from '../../../simulator/data/assets';
import { documentedEvents } from '../../../simulator/data/events';
import { fieldEvents } from '../../../simulator/data/field/source';
import { NodeHelpers } from '../../support/nodeHelpers';

const offeredConditions = conditionsPropertyFor('poll');
const KINDS = Object.keys(DEFAULTS.byKind) as (keyof typeof DEFAULTS.byKind)[];

type Parameters = Readonly<Record<string, unknown>>;

const HOUR_MS = 3_600_000;
const reading =
	(given: Parameters): ReadParameter =>
	(name, fallback) =>
		given[name] ?? fallback;
const contextOf = (given: Parameters) =>
	({
		getNodeParameter: reading(given),
		getNodeWebhookUrl: () => 'https://n8n.example.com/webhook/1',
		getTimezone: () => 'Europe/Berlin',
		getMode: () => 'trigger',
		getWorkflow: () => ({ id: '1' }),
		getWorkflowStaticData: () => ({}),
		getNode: () => ({ id: '1' }),
	}) as unknown as IHookFunctions;
const asPoll = (given: Parameters): Parameters => ({ ...readPollSettings(reading(given)) });
const asTrigger = (given: Parameters): Parameters => {
	const context = contextOf(given);
	return {
		...triggerSettingsOf(context, 'webhook'),
		...readTriggerSettings(reading(given)),
		...endpointOf(context).plan(),
		isAutomatic: isAutomatic(context),
	};
};

/** The parameters that n8n passes to a node whose workflow has these. */
const keptOf = ({ description }: INodeType, given: Parameters): Parameters => {
	const parameters = { ...given } as INodeParameters;
	const { properties, version } = description;
	const node = { typeVersion: version } as INode;
	return (
		NodeHelpers.getNodeParameters(
			...([properties, parameters, true, false, node, description] as const),
		) ?? {}
	);
};

const namesOf = (properties: readonly INodeProperties[]) =>
	properties.filter(({ type }) => type !== 'notice').map(({ name }) => name);
const property = ({ description }: INodeType, name: string) =>
	description.properties.find((one) => one.name === name);
/** The values that a field offers. */
const offered = (field: INodeProperties | undefined) =>
	(field?.options ?? []).map((option) => ('value' in option ? option.value : option.name));
/** The fields within a collection, or within the first group of a fixed one. */
const fieldsIn = (field: INodeProperties | undefined): INodeProperties[] =>
	(field?.options ?? []).flatMap((option) =>
		'values' in option ? option.values : 'type' in option ? [option] : [],
	);

/** A value of each option, and the code's result for it. */
const TRIGGER_OPTIONS: Readonly<Record<string, [unknown, Parameters]>> = {
	accountAccess: ['anyWorkflow', { access: 'anyWorkflow' }],
	accountWorkflowIds: [
		'a, https://n8n.example.com/workflow/b/executions c',
		{ accountWorkflowIds: ['a', 'b', 'c'] },
	],
	includeDelivery: [true, { includeDelivery: true }],
	batchSize: [7, { batchSize: 1 }],
	retentionDays: [40, { retentionMs: 40 * 24 * HOUR_MS }],
	rotateAt: ['2026-01-31T12:00:00', { rotateAt: Date.UTC(2026, 0, 31, 11) }],
	rotateAfterDays: [3, { rotateAfterMs: 3 * 24 * HOUR_MS }],
	rotationGraceHours: [5, { graceMs: 5 * HOUR_MS }],
	toleranceSeconds: [7, { toleranceSeconds: 7 }],
};

describe('the options of the webhook trigger', () => {
	const all = fieldsIn(property(new AssetServiceTrigger(), 'options'));
	const isInCredential = ({ name }: INodeProperties) =>
		namesOf(new AssetServiceSigningSecretApi().properties).includes(name);
	const options = all.filter((option) => !isInCredential(option));

	it('are those that the code reads', () => {
		const names = new Set(namesOf(options));
		expect([...names].sort()).toEqual(Object.keys(TRIGGER_OPTIONS).sort());
	});

	it('have all fields of the credential but the secrets, for the same schemes, and the code reads them', () => {
		const { properties } = new AssetServiceSigningSecretApi();
		const fields = properties.filter(
			({ name, type }) => !/secret/i.test(name) && type !== 'notice',
		);
		const ofSignature = all.filter(isInCredential);
		expect(namesOf(ofSignature)).toEqual(namesOf(fields));
		const text = { options: Object.fromEntries(fields.map(({ name }) => [name, `a ${name}`])) };
		expect(endpointOf(contextOf(text)).scheme()).toEqual(text.options);

		const node = new AssetServiceTrigger();
		const shownFor = (scheme: string, registration: string) =>
			Object.keys(
				keptOf(node, { registration, options: { ...text.options, scheme } })['options'] as object,
			);
		expect(shownFor('custom', 'automatic')).toEqual(namesOf(fields));
		expect(shownFor('timestamped', 'automatic')).toEqual(['scheme', 'signatureHeader']);
		expect(shownFor('standardWebhooks', 'automatic')).toEqual(['scheme']);
		expect(shownFor('custom', 'manual')).toEqual([]);
		for (const scheme of ['timestamped', 'standardWebhooks', 'custom']) {
			const parameters = { registration: 'automatic', options: { scheme } };
			const one = { parameters, typeVersion: node.description.version } as unknown as INode;
			const { description } = node;
			expect(
				NodeHelpers.getNodeParametersIssues(description.properties, one, description),
			).toBeNull();
		}
		const withoutScheme = { signatureHeader: 'X-Sign' };
		expect(keptOf(node, { registration: 'automatic', options: withoutScheme })).toMatchObject({
			options: withoutScheme,
		});
	});

	it.each(Object.entries(TRIGGER_OPTIONS))('%s is read', (name, [value, expected]) => {
		expect(asTrigger({ options: { [name]: value } })).toMatchObject(expected);
	});

	it.each(options.map((option) => [option.name, option.default]))(
		'%s has the default of the code',
		(name, value) => {
			const text = (settings: Parameters) => JSON.stringify(settings);
			expect(text(asTrigger({ options: { [name]: value } }))).toBe(text(asTrigger({})));
		},
	);
});

describe.each<[string, INodeType, (given: Parameters) => Parameters]>([
	['webhook trigger', new AssetServiceTrigger(), asTrigger],
	['poll trigger', new AssetServicePollTrigger(), asPoll],
])('the parameters of the %s', (_name, node, read) => {
	const unmet = (given: Parameters, type: string) => {
		const { isWantedType, conditions } = read(given) as unknown as Wanted;
		return !isWantedType(type) || conditions.unmet({ type }) !== undefined;
	};

	it.each<[string, Parameters]>([
		['eventTypes', { eventTypes: ['a.b'] }],
		['otherEventTypes', { otherEventTypes: 'a.b' }],
		[
			'conditions',
			{ conditions: { condition: [{ field: 'type', operator: 'equals', value: 'a.b' }] } },
		],
	])('%s is offered and read', (name, given) => {
		expect(namesOf(node.description.properties)).toContain(name);
		expect([unmet(given, 'a.b'), unmet(given, 'c')]).toEqual([false, true]);
	});

	it('delivery and batchSize are offered and read', () => {
		expect(offered(property(node, 'delivery'))).toEqual(['immediate', 'batched']);
		expect(namesOf(fieldsIn(property(node, 'options')))).toContain('batchSize');
		const [batched, options] = [{ delivery: 'batched' }, { batchSize: 7 }];
		expect(read({ ...batched, options })).toMatchObject({ batchSize: 7 });
		expect(read({ ...batched, batchSize: 8 })).toMatchObject({ batchSize: 8 });
		expect(read({ ...batched, batchSize: 8, options })).toMatchObject({ batchSize: 7 });
		expect(read({ delivery: 'immediate', options })).toMatchObject({ batchSize: 1 });
	});
});

/** n8n stops a regular expression after 250 ms, also on a busy machine, and then whatever reads the parameters or the credential fails. */
it('only what cannot be said otherwise shows a field by a regular expression: wrong paths and numbers in conditions', () => {
	const nodes = [
		...[new AssetService(), new AssetServicePollTrigger()],
		...[new AssetServiceStationTrigger(), new AssetServiceTrigger()],
	];
	const credentials = [new AssetServiceApi(), new AssetServiceSigningSecretApi()];
	const properties = [
		...nodes.flatMap(({ description }) => description.properties),
		...credentials.flatMap((one) => one.properties),
	];
	const all = (some: readonly INodeProperties[]): INodeProperties[] =>
		some.flatMap((one) => [one, ...all(fieldsIn(one))]);
	const isByRegex = ({ displayOptions }: INodeProperties) =>
		JSON.stringify(displayOptions ?? {}).includes('"regex":');
	const names = all(properties)
		.filter(isByRegex)
		.map(({ name }) => name);
	expect([...new Set(names)]).toEqual(['pathMustBeNamesAndDots', 'valueMustBeNumber']);
});

it('both triggers offer the same access for other workflows, as the code reads it', () => {
	const [webhook, poll] = [new AssetServiceTrigger(), new AssetServicePollTrigger()].map((node) =>
		fieldsIn(property(node, 'options')).filter(({ name }) => name.startsWith('account')),
	);
	expect(poll).toEqual(webhook);
	expect(offered(poll?.[0])).toEqual(['anyWorkflow', 'selectedWorkflows', 'thisWorkflow']);
	for (const accountAccess of offered(poll?.[0])) {
		expect(asTrigger({ options: { accountAccess } })).toMatchObject({ access: accountAccess });
	}
	expect(asTrigger({})).toMatchObject({ access: 'thisWorkflow', accountWorkflowIds: [] });
});

describe('the parameters of the station trigger', () => {
	const node = new AssetServiceStationTrigger();
	const { properties } = node.description;
	const settingsOf = (given: Parameters) => readStationSettings(reading(given));

	it('offers the kinds that the code knows', () => {
		expect(offered(property(node, 'triggerOn')).sort()).toEqual([...KINDS].sort());
	});

	it.each(KINDS)('shows the defaults of the code for %s', (kind) => {
		const shown = Object.fromEntries(
			properties
				.filter(({ displayOptions }) => {
					const kinds = displayOptions?.show?.['triggerOn'];
					return kinds === undefined || kinds.includes(kind);
				})
				.map((one) => [one.name, one.default]),
		);
		const options = fieldsIn(property(node, 'options'))
			.filter(({ displayOptions }) => displayOptions?.show?.['/triggerOn']?.includes(kind))
			.map((one) => [one.name, one.default] as const);
		const { resolveAfterMinutes: _off, ...fields } = shown;
		const given = { ...fields, triggerOn: kind, options: Object.fromEntries(options) };
		if (kind !== 'sessionEnded') {
			expect({ ...fields, ...given.options }).toMatchObject(DEFAULTS.byKind[kind]);
		}
		expect(settingsOf(given)).toEqual(settingsOf({ triggerOn: kind }));
		expect(settingsOf(given).station.catchUpMs).toBe(24 * HOUR_MS);
		expect(settingsOf(given)).toMatchObject({ batchSize: 1000, acknowledge: 'stored' });
	});

	/** What n8n makes of the parameters of a stored workflow. */
	const kept = (given: INodeParameters) =>
		NodeHelpers.getNodeParameters(
			...([properties, given, true, false, { typeVersion: 1 } as INode, node.description] as const),
		) ?? {};
	const onScreen = (given: INodeParameters) =>
		properties.filter(
			(one) =>
				!['notice', 'hidden'].includes(one.type) &&
				one.name !== 'options' &&
				NodeHelpers.displayParameter(kept(given), one, { typeVersion: 1 }, node.description),
		);

	it.each([
		...KINDS.map((triggerOn) => ({ triggerOn })),
		{ triggerOn: 'connectorFault', times: 2 },
	])('opens with at most five fields for %j, and shows another one only if it is set', (given) => {
		const names = onScreen(given).map(({ name }) => name);
		expect(names.length).toBeLessThanOrEqual(5);
		for (const name of ['scope', 'resolveAfterMinutes']) expect(names).not.toContain(name);
	});

	it.each<[INodeParameters, Partial<StationSettings>]>([
		[{ resolveAfterMinutes: 7 }, { resolveAfterMs: 7 * MINUTE_MS }],
		[{ resolveAfterMinutes: 0 }, { resolveAfterMs: 0 }],
		[
			{ triggerOn: 'connectorFault', scope: 'station', resolveAfterMinutes: 7 },
			{ scope: 'station', resolveAfterMs: 7 * MINUTE_MS },
		],
	])('%j count as parameters of their own and as options, and are seen', (given, expected) => {
		const { triggerOn = 'stationOffline', ...settings } = given;
		const names = onScreen(given).map(({ name }) => name);
		expect(names).toEqual(expect.arrayContaining(Object.keys(settings)));
		const options = { triggerOn, options: settings };
		for (const each of [given, options]) {
			expect(settingsOf(kept(each)).station).toMatchObject(expected);
		}
		expect(onScreen(options).length).toBeLessThanOrEqual(5);
	});

	it.each<[string, Parameters, Parameters]>([
		['forMinutes', { forMinutes: 7 }, { forMs: 7 * 60_000 }],
		['resolveAfterMinutes', { resolveAfterMinutes: 7 }, { resolveAfterMs: 7 * 60_000 }],
		['reportResolved', { reportResolved: false }, { reportResolved: false }],
		['options', { options: { catchUpHours: 7 } }, { catchUpMs: 7 * HOUR_MS }],
		['options', { options: {} }, { includeIdTag: false }],
		...[
			['a', 'b', 'a'],
			' a,b',
			{ station: [{ assetId: 'a' }, { assetId: { __rl: true, mode: 'list', value: 'b' } }] },
		].map((onlyStations): [string, Parameters, Parameters] => [
			'options',
			{ options: { onlyStations } },
			{ onlyStations: ['a', 'b'] },
		]),
		['options', { options: { includeIdTag: true } }, { includeIdTag: false }],
		[
			'options',
			{ triggerOn: 'sessionEnded', options: { includeIdTag: true } },
			{ includeIdTag: true },
		],
		[
			'statuses',
			{ triggerOn: 'connectorStatus', statuses: ['Occupied'] },
			{ statuses: ['Occupied'] },
		],
		[
			'options',
			{ triggerOn: 'connectorStatus', statuses: [], options: { otherStatuses: 'A, B' } },
			{ statuses: ['A', 'B'] },
		],
		['scope', { triggerOn: 'connectorFault', scope: 'station' }, { scope: 'station' }],
		[
			'withinMinutes',
			{ triggerOn: 'connectorFault', times: 3, withinMinutes: 7, forMinutes: 7 },
			{ times: 3, withinMs: 7 * 60_000, forMs: 0 },
		],
	])('%s is offered and read', (name, given, expected) => {
		expect(namesOf(properties)).toContain(name);
		expect(settingsOf(given).station).toMatchObject(expected);
	});

	const lasting = { triggerOn: 'connectorFault' };
	const repeated = { triggerOn: 'connectorFault', times: 3 };
	const stuck = { triggerOn: 'connectorStatus' };
	const many = Array.from({ length: 20 }, (_, index) => `Status${index}`);
	it.each<[string, Parameters, string]>([
		['forMinutes', { forMinutes: 10_081 }, 'must be a whole number from 0 to 10080, but is 10081'],
		['forMinutes', { forMinutes: -1 }, 'from 0 to 10080, but is -1'],
		['forMinutes', { forMinutes: 1.5 }, 'whole number from 0 to 10080, but is 1.5'],
		['forMinutes', { forMinutes: 'soon' }, 'from 0 to 10080, but is "soon"'],
		['forMinutes', { forMinutes: ['5'] }, 'from 0 to 10080, but is ["5"]'],
		[
			'resolveAfterMinutes',
			{ ...stuck, resolveAfterMinutes: 1_441 },
			'from 0 to 1440, but is 1441',
		],
		['times', { ...lasting, times: 51 }, 'from 1 to 50, but is 51'],
		['withinMinutes', { ...repeated, withinMinutes: 0 }, 'from 1 to 10080, but is 0'],
		['batchSize', { batchSize: 1_001 }, 'from 1 to 1000, but is 1001'],
		['batchSize', { options: { batchSize: 0 } }, 'from 1 to 1000, but is 0'],
		['catchUpHours', { options: { catchUpHours: 721 } }, 'from 1 to 720, but is 721'],
		['onlyStations', { options: { onlyStations: ['a', ''] } }, 'has a row without a station'],
		[
			'onlyStations',
			{ options: { onlyStations: Array.from({ length: 1_001 }, (_, n) => `as_${n}`) } },
			'must name at most 1000 stations, but names 1001',
		],
		['triggerOn', { triggerOn: 'x' }, 'must be one of stationOffline, connectorStatus,'],
		['scope', { ...lasting, scope: 7 }, 'must be one of code, connector, station, but is 7'],
		['statuses', { ...stuck, statuses: [] }, 'must name at least one status'],
		['statuses', { ...stuck, statuses: 7 }, 'must be a list of texts, but is 7'],
		[
			'otherStatuses',
			{ ...stuck, options: { otherStatuses: [7] } },
			'must be a list of texts, but is [7]',
		],
		[
			'statuses',
			{ ...stuck, statuses: many, options: { otherStatuses: 'More' } },
			"and 'Other Statuses' must name at most 20 statuses together, but name 21",
		],
	])('names %s and what is wrong with %j', (name, given, problem) => {
		const settings = settingsOf(given);
		const shown = [...properties, ...fieldsIn(property(node, 'options'))];
		const { displayName = '' } = shown.find((each) => each.name === name) ?? {};
		expect(settings.problems).toEqual([expect.stringContaining(problem)]);
		expect(settings.problems[0]).toMatch(RegExp(`^'${displayName.replace(/[()]/g, '\\$&')}' `));
		expect(() => {
			checkStationSettings(settings);
		}).toThrow(settings.problems[0]);
	});

	it.each<Parameters>([
		{},
		{ forMinutes: 0, resolveAfterMinutes: 1_440, options: { catchUpHours: 720 } },
		{ forMinutes: '7', batchSize: 1 },
		{ ...stuck, statuses: many },
		{ ...stuck, statuses: 'A, B, A' },
		// Fields that are not shown.
		{ triggerOn: 'sessionEnded', forMinutes: -1, times: 0, scope: 7, statuses: [] },
		{ ...repeated, times: 50, forMinutes: -1 },
	])('finds nothing wrong with %j', (given) => {
		expect(settingsOf(given).problems).toEqual([]);
	});

	it.each<[Parameters, Parameters]>([
		[{}, { batchSize: 1000, acknowledge: 'stored' }],
		[{ delivery: 'immediate' }, { batchSize: 1 }],
		[{ options: { delivery: 'immediate', batchSize: 7 } }, { batchSize: 1 }],
		[{ delivery: 'immediate', options: { delivery: 'batched' } }, { batchSize: 1000 }],
		[{ batchSize: 7 }, { batchSize: 7 }],
		[{ batchSize: 7, options: { batchSize: 8 } }, { batchSize: 8 }],
		[{ acknowledge: 'succeeded' }, { acknowledge: 'succeeded' }],
		[{ options: { acknowledge: 'succeeded' } }, { acknowledge: 'succeeded' }],
		[{ acknowledge: 'succeeded', options: { acknowledge: 'stored' } }, { acknowledge: 'stored' }],
	])('reads from the options and from the fields of %j: %j', (given, expected) => {
		expect(settingsOf(given)).toMatchObject(expected);
		expect(settingsOf(keptOf(node, given))).toMatchObject(expected);
	});

	it('has no parameter that takes an expression', () => {
		const fields = properties.filter(({ type }) => type !== 'notice' && type !== 'collection');
		const open = [...fields, ...fieldsIn(property(node, 'options'))].filter(
			({ noDataExpression }) => noDataExpression !== true,
		);
		expect(open).toEqual([]);
	});
});

it('the poll trigger offers the starts and the limit that it reads', () => {
	const node = new AssetServicePollTrigger();
	for (const startFrom of offered(property(node, 'startFrom'))) {
		expect(asPoll({ startFrom })).toMatchObject({ startFrom });
	}
	expect(asPoll({ [property(node, 'limit')?.name ?? '']: 7 })).toMatchObject({ pageSize: 7 });
});

it('the webhook trigger offers both kinds of registration', () => {
	const kinds = offered(property(new AssetServiceTrigger(), 'registration'));
	expect(kinds.map((registration) => asTrigger({ registration })['isAutomatic'])).toEqual([
		false,
		true,
	]);
});

describe('the conditions', () => {
	const shown = fieldsIn(offeredConditions);
	const fields = Object.fromEntries(
		shown.flatMap((field) => (field.options?.length === 0 ? [] : [[field.name, field]])),
	);

	it('offer the operators that the code knows, and no other', () => {
		expect(offered(fields['operator'])).toEqual([
			...['contains', 'notEquals', 'notExists', 'equals'],
			...['exists', 'greaterThan', 'lessThan', 'startsWith'],
		]);
	});

	it('ask for a value where the operator needs one', () => {
		const hidden = fields['value']?.displayOptions?.hide?.['operator'];
		const withoutValue = Object.keys(OPERATORS).filter(
			(operator) => readConditions({ condition: [{ field: 'a', operator }] }).problems.length === 0,
		);
		expect(hidden).toEqual(withoutValue.sort());
	});

	it('have the names that the code reads', () => {
		const row = { field: OTHER_FIELD, path: 'a', operator: 'equals', value: 'b' };
		expect(Object.keys(fields)).toEqual(Object.keys(row));
		const [group] = offeredConditions.options ?? [];
		const { problems, unmet } = readConditions({ [group?.name ?? '']: [row] });
		expect([problems, unmet({ a: 'b' }), unmet({ a: 'c' })]).toEqual([[], undefined, 'a equals b']);
	});

	const assets = generateAssets(20);
	const events = [documentedEvents(assets), fieldEvents(assets)].flatMap((source) =>
		source.history(3_000, Date.UTC(2026, 0, 1)),
	);

	it.each(offered(fields['field']).filter((path) => path !== OTHER_FIELD))(
		'offer a field that events have: %s',
		(field) => {
			const { problems, unmet } = readConditions({ condition: [{ field, operator: 'exists' }] });
			expect(problems).toEqual([]);
			expect(events.some((event) => unmet({ ...event }) === undefined)).toBe(true);
		},
	);
});

describe('the signing secret credential', () => {
	const { properties } = new AssetServiceSigningSecretApi();
	const field = (label: string) => properties.find(({ displayName }) => displayName === label);
	const signingSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
	const settings = { signingSecret, scheme: 'custom', timestampHeader: 'x-at' };

	it.each(['Scheme', 'Algorithm', 'Encoding'])(
		'offers the values that the code knows as %s',
		(label) => {
			const name = field(label)?.name ?? '';
			// The error for another value names all values that the code knows.
			const [problem = ''] = checkSigningSettings({ ...settings, [name]: 'unknown' });
			const known = /must be one of (.+)\.$/.exec(problem)?.[1]?.split(', ') ?? [];
			expect(offered(field(label)).sort()).toEqual(known.sort());
			for (const choice of known) {
				expect(createVerifier({ ...settings, [name]: choice })).toMatchObject({ ok: true });
			}
		},
	);

	it.each(
		(field('Scheme')?.options ?? []).map((option) => [
			option.name,
			'value' in option ? String(option.value) : '',
		]),
	)('offers the scheme %s, which has tests (%s.test.ts) and a place in the docs', (name, value) => {
		expect(existsSync(join(__dirname, '../signature', `${value}.test.ts`))).toBe(true);
		expect(readFileSync(join(__dirname, '../../../docs/nodes.md'), 'utf8')).toContain(
			`**${name}**`,
		);
	});
});

describe('the hints for n8n’s AI workflow builder', () => {
	const nodes = [
		new AssetService(),
		new AssetServiceTrigger(),
		new AssetServicePollTrigger(),
		new AssetServiceStationTrigger(),
	];

	it('are on each node, and name the others', () => {
		const names = nodes.map(({ description }) => `${packageJson.name}.${description.name}`);
		for (const { description } of nodes) {
			const { searchHint, relatedNodes = [] } = description.builderHint ?? {};
			expect(searchHint).toMatch(/\.$/);
			expect([
				`${packageJson.name}.${description.name}`,
				...relatedNodes.map(({ nodeType }) => nodeType),
			]).toEqual(expect.arrayContaining(names));
		}
	});

	it('give conditions that can be read', () => {
		const [example = ''] = /\{.*\}/.exec(offeredConditions.builderHint?.propertyHint ?? '') ?? [];
		const { problems, unmet } = readConditions(JSON.parse(example));
		expect([problems, unmet({ data: { payload: { status: 'Faulted' } } })]).toEqual([
			[],
			undefined,
		]);
	});
});

describe('the package', () => {
	const files = (folder: string, ending: string) =>
		readdirSync(join(__dirname, '../../..', folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith(ending))
			.map((file) => join('dist', folder, file.replace(/\.ts$/, '.js')))
			.sort();

	it('has the credentials that its nodes need', () => {
		const needed = [
			new AssetService(),
			new AssetServiceTrigger(),
			new AssetServicePollTrigger(),
			new AssetServiceStationTrigger(),
		].flatMap(({ description }) => description.credentials?.map(({ name }) => name) ?? []);
		const { name: api } = new AssetServiceApi();
		const { name: signingSecret } = new AssetServiceSigningSecretApi();
		expect(new Set(needed)).toEqual(new Set([api, signingSecret]));
	});

	it('names every node and every credential that there is', () => {
		expect([...packageJson.n8n.nodes].sort()).toEqual(files('nodes', '.node.ts'));
		expect([...packageJson.n8n.credentials].sort()).toEqual(
			files('credentials', '.credentials.ts'),
		);
	});
});
