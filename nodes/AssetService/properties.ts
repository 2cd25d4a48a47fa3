/** The parameters of the node: the resource, the operations of each resource, and the fields of each operation. */
import type { INodeProperties } from 'n8n-workflow';
import { resources } from './resources';
import type { Operation, Resource } from './shared/resource';

/** Such as `Get Many: Asset`, by the labels in the form. */
export const subtitle = `={{ (${JSON.stringify(
	Object.fromEntries(
		Object.entries(resources).flatMap(([resource, { name: label, operations }]) =>
			Object.entries(operations).map(([operation, { name }]) => [
				`${resource}.${operation}`,
				`${name}: ${label}`,
			]),
		),
	),
)})[$parameter["resource"] + "." + $parameter["operation"]] }}`;

export const properties: INodeProperties[] = [
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
		...Object.entries(operations).flatMap(([operation, { fields }]) =>
			fields.map((field) => shownFor({ resource: [name], operation: [operation] }, field)),
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

function shownFor(choice: Record<string, string[]>, field: INodeProperties): INodeProperties {
	return { ...field, displayOptions: { show: { ...choice, ...field.displayOptions?.show } } };
}
