/** What a user sees of each trigger, at first open and later, by n8n's own rules. */
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { NodeHelpers } from '../../support/nodeHelpers';

type Description = AssetServiceTrigger['description'];

const isField = ({ type, options }: INodeProperties) =>
	type !== 'notice' && type !== 'hidden' && options?.length !== 0;

/** The labels of the fields that a node shows with these parameters. */
function shown({ properties, version, ...rest }: Description, given: INodeParameters): string[] {
	const node = { typeVersion: version } as INode;
	const description = { properties, version, ...rest };
	const values =
		NodeHelpers.getNodeParameters(properties, given, true, false, node, description) ?? {};
	return properties
		.filter((one) => NodeHelpers.displayParameter(values, one, node, description))
		.filter(isField)
		.map(({ displayName }) => displayName);
}

it.each<[string, Description, string[]]>([
	[
		'the webhook trigger',
		new AssetServiceTrigger().description,
		[
			...['Registration', 'Trigger On', 'Conditions', 'Executions', 'If the Execution Fails'],
			'Options',
		],
	],
	[
		'the poll trigger',
		new AssetServicePollTrigger().description,
		[
			...['Trigger On', 'Conditions', 'Executions', 'If the Execution Fails', 'Start From'],
			'Options',
		],
	],
	[
		'the station trigger',
		new AssetServiceStationTrigger().description,
		['Trigger On', 'Report After (Minutes)', 'Report When Resolved', 'Options'],
	],
])('%s opens with few fields', (_name, description, labels) => {
	expect(shown(description, {})).toEqual(labels);
});

it('a setting that is off the screen is on it where it has an effect', () => {
	const { description } = new AssetServiceStationTrigger();
	const given = { delivery: 'immediate', acknowledge: 'succeeded', resolveAfterMinutes: 0 };
	expect(shown(description, given).slice(-4)).toEqual([
		...['Resolve After (Minutes)', 'Executions', 'If the Execution Fails', 'Options'],
	]);
	expect(shown(description, { delivery: 'batched', acknowledge: 'stored' })).toHaveLength(4);
});

it.each([
	[{ rotateAfterDays: 30, rotationGraceHours: 5 }, true],
	[{ rotateAfterDays: 0.0002, rotationGraceHours: 0.5 }, true],
	[{ rotateAfterDays: 0, rotationGraceHours: 5 }, false],
	[{ rotationGraceHours: 5 }, false],
	[{ rotateAt: '2026-01-31T12:00:00', rotationGraceHours: 5 }, true],
	[{ rotateAt: '2026-01-31T12:00:00', rotateAfterDays: 0, rotationGraceHours: 5 }, true],
	[{ rotateAt: '2026-01-31T12:00:00', rotateAfterDays: 1, rotationGraceHours: 5 }, true],
	[{ rotateAt: '', rotationGraceHours: 5 }, false],
])('the grace period of a rotation is kept only where there is one: %j, %s', (options, isKept) => {
	const { description } = new AssetServiceTrigger();
	const values = { registration: 'automatic', options };
	const node = { typeVersion: 2 } as INode;
	const kept = NodeHelpers.getNodeParameters(
		...([description.properties, values, false, false, node, description] as const),
	);
	expect('rotationGraceHours' in (kept?.['options'] as INodeParameters)).toBe(isKept);
});
