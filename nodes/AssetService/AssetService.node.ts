/**
 * The action node, with its parameters: the resource, the operations of each resource, and the fields of each operation. The
 * operations are in `resources`.
 */
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type INodeProperties,
} from 'n8n-workflow';
import { LISTED_RESOURCES, LISTS } from '../../lib/service';
import { assetServiceApiTest } from '../../n8n/api/credentials';
import { conditionFields } from '../../n8n/fields/conditions';
import { searchStations } from '../../n8n/fields/stations';
import { builderHint } from '../builderHints';
import { execute } from './execute';
import { resources } from './resources';
import { searchDeliveries } from './resources/delivery';
import type { Operation, Resource } from './shared/operation';

/** Such as `assets, deliveries and events`. */
const listed = new Intl.ListFormat('en-GB').format(
	LISTED_RESOURCES.map((resource) => LISTS[resource].records),
);

/** Operations that need no credential. */
const WITHOUT_REQUESTS = Object.values(resources).flatMap(({ operations }) =>
	Object.entries(operations).flatMap(([name, operation]) =>
		'runLocally' in operation ? [name] : [],
	),
);

/** A model also reads the name of a tool, and n8n does not type that this can differ. */
const asTool = {
	replacements: {
		description:
			'Answers questions about charging stations: status, outages, charging sessions and uptime',
		skipNameGeneration: false,
	},
};

export class AssetService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Asset Service',
		name: 'assetService',
		icon: { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle,
		description: `Lists ${listed} of the Asset and Webhook Service, calculates uptime, and manages webhook endpoints`,
		defaults: { name: 'Asset Service' },
		// n8n names a node after its action, which is a whole sentence here.
		skipNameGeneration: true,
		usableAsTool: asTool,
		builderHint: builderHint('assetService'),
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'assetServiceApi',
				required: true,
				testedBy: 'assetServiceApiTest',
				displayOptions: { hide: { operation: WITHOUT_REQUESTS } },
			},
		],
		properties,
	};

	methods = {
		credentialTest: { assetServiceApiTest },
		listSearch: { searchDeliveries, searchStations },
		loadOptions: { conditionFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await execute(this)];
	}
}

/** Such as `Get Many: Asset`, by the labels in the form. */
const subtitle = `={{ (${JSON.stringify(
	Object.fromEntries(
		Object.entries(resources).flatMap(([resource, { name: label, operations }]) =>
			Object.entries(operations).map(([operation, { name }]) => [
				`${resource}.${operation}`,
				`${name}: ${label}`,
			]),
		),
	),
)})[$parameter["resource"] + "." + $parameter["operation"]] }}`;

const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(resources).map(([value, { name, description }]) => ({
			name,
			value,
			description,
		})),
		default: Object.keys(resources)[0] ?? '',
	},
	...Object.entries(resources).flatMap(([name, { operations }]) => [
		operationField(name, operations),
		...fieldsOf(operations).map(({ field, operations: shown }) =>
			shownFor({ resource: [name], [keyFor(shown)]: shown }, field),
		),
	]),
];

function operationField(resource: string, operations: Resource['operations']): INodeProperties {
	const option = ([value, { name, description, action }]: [string, Operation]) => ({
		name,
		value,
		description,
		action,
	});
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: Object.entries(operations).map(option),
		default: Object.keys(operations)[0] ?? '',
	};
}

interface ShownField {
	readonly field: INodeProperties;
	/** The operations that it is shown for. */
	readonly operations: string[];
}

/**
 * When Operation changes, the editor drops the lists and collections among the shown properties that name it, even if they were
 * shown before (n8n 2.41). It does not know this name for it.
 */
function keyFor(operations: readonly string[]): string {
	return operations.length > 1 ? '/operation' : 'operation';
}

/**
 * The fields of all operations. One that several operations have is a single property: n8n drops the value of a property when it
 * is no longer shown, even if another one of that name is. It comes after what precedes it in any of them.
 */
function fieldsOf(operations: Resource['operations']): ShownField[] {
	const all: ShownField[] = [];
	for (const [operation, { fields }] of Object.entries(operations)) {
		let at = 0;
		for (const field of fields) {
			const known = all.findIndex((each) => each.field === field);
			if (known < 0) all.splice(at++, 0, { field, operations: [operation] });
			else {
				all[known]?.operations.push(operation);
				at = known + 1;
			}
		}
	}
	return all;
}

function shownFor(choice: Record<string, string[]>, field: INodeProperties): INodeProperties {
	const { show, ...others } = field.displayOptions ?? {};
	return { ...field, displayOptions: { ...others, show: { ...choice, ...show } } };
}
