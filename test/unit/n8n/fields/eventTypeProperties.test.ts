import type { INode, INodeParameters, INodeType } from 'n8n-workflow';
import { eventTypeFilters, eventTypeProperties } from '../../../../n8n/fields/eventTypeProperties';
import { AssetServicePollTrigger } from '../../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { NodeHelpers } from '../../../support/nodeHelpers';

const valuesOf = (properties: ReturnType<typeof eventTypeProperties>) =>
	(properties[0]?.options ?? []).flatMap((option) => ('value' in option ? option.value : []));

it('offers the known types, and others to enter', () => {
	const known = ['asset.connectivity', 'ocpp.message'];
	expect(valuesOf(eventTypeProperties({}))).toEqual([...known, '__other__']);
	expect(valuesOf(eventTypeFilters({}))).toEqual(known);
});

describe.each<[string, INodeType]>([
	['webhook trigger', new AssetServiceTrigger()],
	['poll trigger', new AssetServicePollTrigger()],
])('the %s', (_name, { description }) => {
	const issuesOf = (parameters: INodeParameters) => {
		const node = { name: 'Node', parameters, typeVersion: description.version } as INode;
		const { properties } = description;
		return NodeHelpers.getNodeParametersIssues(properties, node, description)?.parameters ?? {};
	};

	it.each<INodeParameters>([
		{},
		{ eventTypes: [] },
		{ eventTypes: ['ocpp.message', 'asset.*', 'site.created'] },
		{ eventTypes: ['__other__'], otherEventTypes: 'asset.*' },
	])('is complete for n8n with %j', (parameters) => {
		expect(issuesOf(parameters)).toEqual({});
	});

	it('is not while other types are to be entered and none is', () => {
		expect(Object.keys(issuesOf({ eventTypes: ['__other__'] }))).toEqual(['otherEventTypes']);
	});

	it('evaluates no expression for them', () => {
		const types = description.properties.filter(({ name }) => /eventTypes$/i.test(name));
		expect(types.map(({ noDataExpression }) => noDataExpression)).toEqual([true, true]);
	});
});
