/** n8n's own check of a workflow, which it makes before a new version replaces the published one. */
import type { INode, INodeType } from 'n8n-workflow';
import { OTHER_FIELD, readConditions } from '../../../../lib/event';
import { AssetService } from '../../../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceTrigger } from '../../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { NodeHelpers } from '../../../support/nodeHelpers';

type Row = Record<string, string>;

const issuesOf = ({ description }: INodeType, row: Row) => {
	const operation = { resource: 'event', operation: 'reconcile' };
	const parameters = { ...operation, conditions: { condition: [row] } };
	const node = { name: 'Node', parameters, typeVersion: description.version } as unknown as INode;
	const found = NodeHelpers.getNodeParametersIssues(description.properties, node, description);
	return Object.values(found?.parameters ?? {}).flat();
};
const rows = (field: Row, ...operators: [operator: string, value?: string][]): Row[] =>
	operators.map(([operator, value = '']) => ({ ...field, operator, value }));
const STATUS = { field: 'data.payload.status' };
const GOOD = [
	...rows(STATUS, ['equals', 'a'], ['equals', 'a,b'], ['exists'], ['notExists']),
	...rows(STATUS, ['greaterThan', '12.5'], ['lessThan', ' -1E3 '], ['lessThan', '.5']),
	...rows({ field: OTHER_FIELD, path: 'a.b c.d' }, ['exists'], ['greaterThan', '1']),
	...rows({ field: 'type', path: 'a..b' }, ['exists']),
];
const BAD: [Row, string][] = [
	...rows(STATUS, ['equals'], ['contains'], ['greaterThan'], ['notEquals']).map(
		(row): [Row, string] => [row, 'Parameter "Value" is required.'],
	),
	...rows(STATUS, ['greaterThan', 'abc'], ['lessThan', '1,2'], ['lessThan', '0x1']).map(
		(row): [Row, string] => [row, `Parameter "Correct 'Value': enter a number" is required.`],
	),
	...['.a', 'a.', 'a..b'].map((path): [Row, string] => [
		{ field: OTHER_FIELD, path, operator: 'exists' },
		`Parameter "Correct 'Path': names with single dots between them" is required.`,
	]),
	[{ field: OTHER_FIELD, path: '', operator: 'exists' }, 'Parameter "Path" is required.'],
];

describe.each<[string, INodeType]>([
	['webhook trigger', new AssetServiceTrigger()],
	['poll trigger', new AssetServicePollTrigger()],
	['action node', new AssetService()],
])('n8n, before it changes anything, for the %s', (_name, nodeType) => {
	it.each(BAD)('rejects the condition %j that no event can meet', (row, issue) => {
		expect(readConditions({ condition: [row] }).problems).toHaveLength(1);
		expect(issuesOf(nodeType, row)).toEqual([issue]);
	});

	it.each(GOOD)('accepts the condition %j', (row) => {
		expect(readConditions({ condition: [row] }).problems).toEqual([]);
		expect(issuesOf(nodeType, row)).toEqual([]);
	});
});
