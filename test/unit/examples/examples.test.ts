/** What the examples are set to: their figures are those of their notes and the docs, their parts are connected, and they choose rightly. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { asRecord } from '../../../lib/shared/values';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { resources } from '../../../nodes/AssetService/resources';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { example, EXAMPLES } from '../../support/n8n/examples';
import { NodeHelpers } from '../../support/nodeHelpers';
import { assigned, chooses, evaluate, type Json, optionsOf, parametersOf } from './expressions';

const NOTE = 'n8n-nodes-base.stickyNote';
const Links = z.array(z.array(z.object({ node: z.string() })));
const Example = z.object({
	nodes: z.array(
		z.looseObject({
			name: z.string(),
			type: z.string(),
			parameters: z.record(z.string(), z.unknown()),
		}),
	),
	connections: z.record(z.string(), z.object({ main: Links.default([]) }).catchall(Links)),
});
const examples = EXAMPLES.map((file) => {
	const { nodes, connections } = Example.parse(example(file));
	const note = nodes.find(({ type }) => type === NOTE)?.parameters['content'];
	return {
		file,
		note: String(note),
		nodes: nodes.filter(({ type }) => type !== NOTE),
		connections,
	};
});
const of = (file: string) => {
	const found = examples.find((each) => each.file === file);
	if (!found) throw new Error(`There is no ${file}`);
	return found;
};
const settingOf = (file: string, node: string) => {
	const found = of(file).nodes.find(({ name }) => name === node);
	if (!found) throw new Error(`${file} has no node ${node}`);
	return found;
};

const docs = readFileSync(join(__dirname, '../../../docs/examples.md'), 'utf8');
/** What the docs say about an example: the section that links to it. */
const sectionOf = (file: string) =>
	docs.split(/^(?=## )/m).find((section) => section.includes(`\n[${file}](`)) ?? '';

describe.each(examples)('$file', ({ nodes, connections }) => {
	const isTrigger = ({ type }: { type: string }) => /trigger$|\.webhook$/i.test(type);
	const targets = (name: string) => connections[name]?.main.flat().map(({ node }) => node) ?? [];

	it('has each of its nodes connected, from a trigger on', () => {
		const names = nodes.map(({ name }) => name);
		const reached = new Set(nodes.filter(isTrigger).map(({ name }) => name));
		expect(reached.size).toBeGreaterThan(0);
		for (const name of reached) for (const next of targets(name)) reached.add(next);
		// Tools and the model of an AI agent.
		for (const [name, { main: _main, ...ways }] of Object.entries(connections)) {
			const served = Object.values(ways).flat(2);
			if (served.some(({ node }) => reached.has(node))) reached.add(name);
		}
		expect([...reached].sort()).toEqual(names.sort());
		for (const { name } of nodes.filter(isTrigger)) expect(targets(name)).not.toEqual([]);
	});

	it('responds to a webhook with the node that is there for it', () => {
		const responds = nodes.some(({ type }) => type.endsWith('.respondToWebhook'));
		const waits = nodes.some(({ parameters }) => parameters['responseMode'] === 'responseNode');
		expect(waits).toBe(responds);
	});
});

const DESCRIPTIONS = new Map(
	[
		new AssetService(),
		new AssetServiceTrigger(),
		new AssetServicePollTrigger(),
		new AssetServiceStationTrigger(),
	].map(({ description }) => [description.name, description]),
);

it.each(
	examples.flatMap(({ file, nodes }) =>
		nodes.flatMap(({ name, type, parameters }) => {
			const description = DESCRIPTIONS.get(type.split('.').at(-1)?.replace(/Tool$/, '') ?? '');
			const isOurs = description !== undefined && type.startsWith('n8n-nodes-asset-service.');
			return isOurs ? [{ file, name, parameters, description }] : [];
		}),
	),
)(
	'$file sets in $name only parameters and choices that the node has',
	({ parameters, description }) => {
		const { properties } = description;
		const node = { typeVersion: 1 } as INode;
		const given = parameters as INodeParameters;
		const values =
			NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
		const fits = (field: INodeProperties) =>
			NodeHelpers.displayParameter(values, field, node, description);
		for (const [name, value] of Object.entries(parameters)) {
			if (name === 'pollTimes') continue;
			const shown = properties.filter((each) => each.name === name && fits(each));
			expect([name, shown.length]).toEqual([name, 1]);
			const { type, options = [] } = shown[0] ?? {};
			if (type !== 'options' && type !== 'multiOptions') continue;
			const values = options.map((option) => ('value' in option ? option.value : undefined));
			for (const each of [value].flat()) expect(values).toContain(each);
		}
	},
);

const hoursIn = (text: unknown) => Number(/hours: (\d+)/.exec(String(text))?.[1]);

/** A figure in words, and the parameter that it is about. */
const FIGURES: readonly (readonly [file: string, words: RegExp, value: () => unknown])[] = [
	...(
		[
			['offline-alarm.json', /stays offline for (\d+) minutes/, 'forMinutes'],
			['stuck-status.json', /one of the statuses for (\d+) minutes/, 'forMinutes'],
			['repeated-faults.json', /reports (\d+) faults within/, 'times'],
		] as const
	).map(
		([file, words, name]) =>
			[file, words, () => parametersOf(file, 'Asset Service Station Trigger')[name]] as const,
	),
	[
		'repeated-faults.json',
		/faults within (\d+) hours/,
		() =>
			Number(
				parametersOf('repeated-faults.json', 'Asset Service Station Trigger')['withinMinutes'],
			) / 60,
	],
	[
		'dead-letters.json',
		/the events of the last (\d+) hours/,
		() => hoursIn(parametersOf('dead-letters.json', 'Reconcile events')['createdAfter']),
	],
	[
		'nightly-completeness.json',
		/the (?:events of the )?last (\d+) hours/,
		() => hoursIn(parametersOf('nightly-completeness.json', 'Reconcile events')['createdAfter']),
	],
	[
		'catch-up-after-outage.json',
		/up to (\d+) per execution/,
		() => optionsOf('catch-up-after-outage.json', 'Asset Service Poll Trigger')['batchSize'],
	],
];

it.each(FIGURES)('%s has the figure of its note and of the docs: %s', (file, words, value) => {
	for (const text of [of(file).note, sectionOf(file)]) {
		const found = words.exec(text)?.[1];
		expect([found, Number(found)]).toEqual([expect.any(String), value()]);
	}
});

it('emails name the period that the example looks at', () => {
	for (const file of ['dead-letters.json', 'nightly-completeness.json']) {
		const [, hours] =
			/last (\d+) hours/.exec(String(parametersOf(file, 'Send email')['text'])) ?? [];
		expect(Number(hours)).toBe(hoursIn(parametersOf(file, 'Reconcile events')['createdAfter']));
	}
});

it.each(['fault-to-reset.json', 'command-confirmed.json'])(
	'%s resets a station once, and not again until it had no fault for an hour',
	(file) => {
		expect(parametersOf(file, 'Asset Service Station Trigger')).toMatchObject({
			...{ triggerOn: 'connectorFault', times: 1, forMinutes: 0 },
			...{ reportResolved: false, options: { scope: 'station', resolveAfterMinutes: 60 } },
		});
		expect(sectionOf(file)).toMatch(/hour/);
	},
);

it('a station that is back within the minutes of the docs has the same outage', () => {
	const [, minutes] = /when it has been back for (\d+)/.exec(sectionOf('offline-alarm.json')) ?? [];
	const trigger = ['offline-alarm.json', 'Asset Service Station Trigger'] as const;
	const { reportResolved } = parametersOf(...trigger);
	const { resolveAfterMinutes } = optionsOf(...trigger);
	expect([resolveAfterMinutes, reportResolved]).toEqual([Number(minutes), true]);
});

it('the docs count the nodes of the dead letters', () => {
	const numbers = ['no', 'one', 'two', 'three', 'four', 'five'];
	const [, count = ''] =
		/It has (\w+) nodes and no code/.exec(sectionOf('dead-letters.json')) ?? [];
	expect(of('dead-letters.json').nodes).toHaveLength(numbers.indexOf(count));
});

it('a row of a session that could not be written is written later, and never twice', () => {
	const file = 'sessions-to-table.json';
	expect(parametersOf(file, 'Asset Service Station Trigger')).toMatchObject({
		...{ triggerOn: 'sessionEnded', options: { acknowledge: 'succeeded' } },
	});
	expect(parametersOf(file, 'Write row')).toMatchObject({
		...{ operation: 'upsert', matchType: 'allConditions' },
		filters: { conditions: [{ keyName: '=session', condition: '=eq' }] },
	});
	expect(parametersOf(file, 'Sessions table')).toMatchObject({
		options: { createIfNotExists: true },
	});
});

describe('as imported', () => {
	/** They act only within n8n, or read. */
	const INSIDE = [
		...[
			'aggregate',
			'compareDatasets',
			'convertToFile',
			'dataTable',
			'executeWorkflow',
			'filter',
			'form',
			'html',
			'if',
		],
		...['merge', 'noOp', 'respondToWebhook', 'set', 'sort', 'splitOut', 'summarize', 'switch'],
		...['agent', 'lmChatOpenAi'],
	];
	/** It names nothing that a service can have, so it is rejected. */
	const isPlaceholder = (value: unknown) => /^$|replace.me/.test(String(value));

	it.each(examples)('$file changes nothing outside n8n', ({ file, nodes }) => {
		const acting = nodes.filter(({ type, parameters, disabled }) => {
			const name = type.split('.').at(-1) ?? '';
			if (disabled === true || /trigger$|^webhook$/i.test(name)) return false;
			if (!/^assetService(Tool)?$/.test(name)) return !INSIDE.includes(name);
			const { resource = 'asset', operation = 'getAll' } = parameters;
			return resources[String(resource)]?.operations[String(operation)]?.prepare !== undefined;
		});
		for (const { parameters } of acting) {
			const { url, workflowId, endpointId } = parameters;
			const given = url ?? workflowId ?? asRecord(endpointId)['value'];
			const [, other] = /\$\('([^']+)'\)\.params\.endpointId/.exec(String(given)) ?? [];
			const value =
				other === undefined ? given : asRecord(parametersOf(file, other)['endpointId'])['value'];
			expect([value, isPlaceholder(value)]).toEqual([value, true]);
		}
	});
});

describe('the states that an example selects', () => {
	it.each([
		['dead-letters.json', ['failed', 'interrupted']],
		['lost-events-form.json', ['failed', 'interrupted', 'missing']],
	])('%s: those that its section names', (file, states) => {
		expect([...(parametersOf(file, 'Reconcile events')['states'] as string[])].sort()).toEqual(
			states,
		);
		for (const state of states) expect(sectionOf(file)).toContain(state);
	});
});

describe('the lost events form', () => {
	const file = 'lost-events-form.json';

	it('continues with the choice if there are events, and otherwise with the page that says so', () => {
		const [yes, no] = of(file).connections['Are there any?']?.main ?? [];
		expect([yes, no].map((outputs) => outputs?.map(({ node }) => node))).toEqual([
			['Choose events'],
			['Nothing lost'],
		]);
		expect(chooses(file, 'Are there any?', { id: 'whevt_1' })).toBe(true);
		// What n8n passes on for a node without output.
		expect(chooses(file, 'Are there any?', {})).toBe(false);
		expect(settingOf(file, 'Reconcile events')).toMatchObject({ alwaysOutputData: true });
	});

	it('starts what was chosen, of the workflow that it looked at', () => {
		const { dryRun, workflowId } = parametersOf(file, 'Replay events');
		expect(dryRun).toBe(false);
		expect(workflowId).toBe(parametersOf(file, 'Reconcile events')['workflowId']);
	});
});

describe('an alarm about deliveries', () => {
	const healthy = { share: 1, givingUp: false };
	it.each<[string, Json, boolean]>([
		['all arrived', healthy, false],
		['none were sent', { ...healthy, share: null }, false],
		['nine in ten arrived', { ...healthy, share: 0.9 }, false],
		['fewer arrived', { ...healthy, share: 0.89 }, true],
		['the service is about to give up', { ...healthy, givingUp: true }, true],
	])('when %s: as decided', (_what, health, isAlarm) => {
		expect(chooses('endpoint-health-alarm.json', 'Is it failing?', health)).toBe(isAlarm);
		const night = { missing: 0, stored: 0, failedEvents: 0, eventsError: '', deliveriesError: '' };
		expect(
			chooses('nightly-completeness.json', 'Is something wrong?', { ...night, ...health }),
		).toBe(isAlarm);
	});

	it.each<Json>([
		{ missing: 1 },
		{ stored: 1 },
		{ failedEvents: 1 },
		{ eventsError: 'down' },
		{ deliveriesError: 'down' },
	])('of the night is sent for %j', (wrong) => {
		const night = { missing: 0, stored: 0, failedEvents: 0, eventsError: '', deliveriesError: '' };
		const file = 'nightly-completeness.json';
		expect(chooses(file, 'Is something wrong?', { ...night, ...healthy, ...wrong })).toBe(true);
	});
});

it.each<[string, number, boolean]>([
	['missing', 0, true],
	['failed', 0, true],
	['interrupted', 0, true],
	['stored', 2, true],
	['stored', 0, false],
	['done', 2, false],
	['running', 2, false],
	['pending', 2, false],
	['asleep', 2, false],
])('the night counts an event that is %s for %i hours: %s', (state, hours, isCounted) => {
	const createdAt = new Date(Date.now() - hours * 60 * 60_000 - 1_000).toISOString();
	const file = 'nightly-completeness.json';
	expect(chooses(file, 'Missing, lost or failed', { state, createdAt })).toBe(isCounted);
});

it('the night continues with nothing found, and with an error', () => {
	const file = 'nightly-completeness.json';
	const goesOn = { alwaysOutputData: true };
	expect(settingOf(file, 'Missing, lost or failed')).toMatchObject(goesOn);
	expect(settingOf(file, 'Reconcile events')).toMatchObject(goesOn);
	for (const node of ['Reconcile events', 'Get health'])
		expect(settingOf(file, node)).toMatchObject({ onError: 'continueRegularOutput' });
	expect(settingOf(file, 'Get health')).toMatchObject({ executeOnce: true });
});

it('only failed deliveries are sent again, each to the endpoint that it belongs to', () => {
	const file = 'resend-failed-deliveries.json';
	expect(parametersOf(file, 'List failed deliveries')).toMatchObject({
		status: 'failed',
		limit: 50,
	});
	expect(sectionOf('start-on-event.json') + docs).toContain('sends up to 50 failed deliveries');
	const { deliveryId, endpointId } = parametersOf(file, 'Resend delivery');
	expect(evaluate(String(deliveryId), [{ id: 'del_1' }])).toBe('del_1');
	expect(endpointId).toMatchObject({
		value: expect.stringContaining("'List failed deliveries'") as string,
	});
});

it('the firmware is compared within a make and model, by what the email shows', () => {
	const { fieldsToSplitBy } = parametersOf('firmware-drift.json', 'Group by firmware');
	const split = String(fieldsToSplitBy).split(', ');
	const used = String(parametersOf('firmware-drift.json', 'Send email')['text']);
	expect(split.sort()).toEqual(['firmwareVersion', 'make', 'model']);
	for (const field of split) expect(used).toContain(`one.${field}`);
});

it('the chart reads the days that it draws', () => {
	const { filters } = parametersOf('energy-chart.json', 'Read sessions');
	const [{ keyName, condition, keyValue } = { keyName: '', condition: '', keyValue: '' }] = (
		filters as { conditions: Record<'keyName' | 'condition' | 'keyValue', string>[] }
	).conditions;
	expect([keyName, condition]).toEqual(['stoppedAt', 'gte']);
	const days = (Date.now() - Date.parse(String(evaluate(keyValue, [{}])))) / (24 * 60 * 60_000);
	expect(days).toBeGreaterThan(28.9);
	expect(days).toBeLessThanOrEqual(30.05);
	expect(settingOf('energy-chart.json', 'Read sessions')).toMatchObject({ alwaysOutputData: true });
	const table = parametersOf('sessions-to-table.json', 'Sessions table')['tableName'];
	expect(parametersOf('energy-chart.json', 'Read sessions')['dataTableId']).toMatchObject({
		value: table,
	});
});

it('a command waits for the response of the station, and names what it sends', () => {
	const command = {
		action: 'Reset',
		assetId: 'asset_1',
		payload: { type: 'Soft' },
		requestId: 'r',
	};
	const { jsonBody, options } = parametersOf('command-confirmed.json', 'Send command');
	expect(JSON.parse(String(evaluate(String(jsonBody), [command])))).toEqual({
		...command,
		async: false,
	});
	expect(options).toMatchObject({
		response: { response: { fullResponse: true, neverError: true } },
	});
	expect(settingOf('command-confirmed.json', 'Send command')).toMatchObject({
		onError: 'continueRegularOutput',
	});
});

it.each(['list-assets.json', 'firmware-drift.json', 'station-board.json'])(
	'%s lists all assets',
	(file) => {
		expect(parametersOf(file, 'List assets')['returnAll']).toBe(true);
	},
);

it('the endpoint that an example creates has its secret in the output, as its note says', () => {
	expect(of('create-endpoint.json').note).toContain('signing secret');
	expect(parametersOf('create-endpoint.json', 'Create endpoint')['includeSecret']).toBe(true);
});

it('the summary of an outage is that of all its assets', () => {
	const file = 'catch-up-after-outage.json';
	const at = (hour: number) => `2026-01-31T0${hour}:00:00.000Z`;
	const rows = [
		{ data_asset_id: 'a', count_id: 2, min_createdAt: at(2), max_createdAt: at(5) },
		{ data_asset_id: 'b', count_id: 3, min_createdAt: at(1), max_createdAt: at(3) },
	];
	expect(settingOf(file, 'Summary')).toMatchObject({ executeOnce: true });
	const { assets, ...summary } = assigned(file, 'Summary', rows);
	expect(summary).toEqual({ events: 5, from: at(1), to: at(5) });
	expect(assets).toEqual([
		{ assetId: 'a', events: 2, first: at(2), last: at(5) },
		{ assetId: 'b', events: 3, first: at(1), last: at(3) },
	]);
});

it('both triggers of a workflow want the same events, in the same batches', () => {
	for (const file of ['catch-missed-events.json', 'catch-up-after-outage.json']) {
		const [webhook, poll] = ['Asset Service Trigger', 'Asset Service Poll Trigger'].map((node) => {
			const { eventTypes, conditions, delivery, acknowledge } = parametersOf(file, node);
			const { batchSize } = optionsOf(file, node);
			return { eventTypes, conditions, delivery, batchSize, acknowledge };
		});
		expect(poll).toEqual(webhook);
	}
});
