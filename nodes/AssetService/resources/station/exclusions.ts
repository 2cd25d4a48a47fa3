/** Times that count neither as up nor as down: their fields, as people enter them and as an expression returns them. */
import type { INodeProperties } from 'n8n-workflow';
import { someOf } from '../../../../lib/shared/text';
import { asText, isRecord, jsonIn } from '../../../../lib/shared/values';
import type { Asked, Exclusion } from '../../../../lib/station';
import { unknown } from '../../../../lib/vendor/zod';
import {
	type InputItem,
	type OperationRun,
	parameter,
	parameterError,
	timeOfField,
} from '../../shared/operation';

export const exclusionsField: INodeProperties = {
	displayName: 'Exclusions',
	name: 'exclusions',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add exclusion',
	default: {},
	description: 'Times that count neither as up nor as down, such as planned maintenance',
	options: [
		{
			displayName: 'Exclusion',
			name: 'exclusion',
			values: [
				{
					displayName: 'Asset ID',
					name: 'assetId',
					type: 'string',
					default: '',
					placeholder: 'e.g. asset_01HZX3',
					description: 'The station; all stations if it is empty',
				},
				{
					displayName: 'Connector',
					name: 'connector',
					type: 'string',
					default: '',
					placeholder: 'e.g. 1',
					description: 'The connector or port as items name it; all connectors if it is empty',
				},
				{
					displayName: 'From',
					name: 'from',
					type: 'dateTime',
					default: '',
					description: 'When the exclusion begins',
				},
				{
					displayName: 'Reason',
					name: 'reason',
					type: 'string',
					default: '',
					placeholder: 'e.g. Planned maintenance',
					description: 'Shown with the time that it excludes',
				},
				{
					displayName: 'To',
					name: 'to',
					type: 'dateTime',
					default: '',
					description: 'When the exclusion ends',
				},
			],
		},
	],
};

export const exclusionListField: INodeProperties = {
	displayName: 'Exclusion List',
	name: 'exclusionList',
	type: 'string',
	default: '',
	placeholder: "e.g. {{ $('Maintenance').all() }}",
	description:
		'Further exclusions, as an expression that returns items or objects with assetId, connector, from, to and reason',
};

export interface EnteredExclusion extends Exclusion {
	/** Where it is entered, for a message: `entry 2 of 'Exclusion List'`. */
	readonly entry: string;
}

/** From the form and from an expression. */
export function exclusionsOf(item: InputItem): EnteredExclusion[] {
	const form = parameter(item, exclusionsField.name, unknown(), {});
	const given = parameter(item, exclusionListField.name, unknown());
	const list = typeof given === 'string' ? jsonIn(given.trim() || '[]') : given;
	if (!Array.isArray(list))
		throw wrongExclusion(item, `'${exclusionListField.displayName}'`, 'is not a list');
	const entered = isRecord(form) ? form['exclusion'] : undefined;
	return [
		...(Array.isArray(entered) ? entered : []).map(exclusionIn(item, exclusionsField)),
		...list.map(exclusionIn(item, exclusionListField)),
	];
}

function exclusionIn(item: InputItem, { displayName }: INodeProperties) {
	return (each: unknown, index: number): EnteredExclusion => {
		const entry = `entry ${index + 1} of '${displayName}'`;
		const one = isRecord(each) && isRecord(each['json']) ? each['json'] : each;
		if (!isRecord(one)) throw wrongExclusion(item, entry, 'is not an object');
		const from = timeIn(item, one['from'], entry, 'From');
		const to = timeIn(item, one['to'], entry, 'To');
		if (from >= to) throw wrongExclusion(item, entry, "has a 'From' that is not before its 'To'");
		const { assetId, connector, reason } = one;
		return {
			assetId: named(assetId),
			connector: named(connector),
			reason: named(reason),
			from,
			to,
			entry,
		};
	};
}

function timeIn(item: InputItem, value: unknown, entry: string, label: string): number {
	const time = timeOfField(item, `${label}' of ${entry.replace(/'$/, '')}`, value);
	if (time === undefined) throw wrongExclusion(item, entry, `has no '${label}'`);
	return time;
}

function named(value: unknown): string | undefined {
	const name = asText(value);
	return name === '' ? undefined : name;
}

const wrongExclusion = (item: InputItem, what: string, problem: string) =>
	parameterError(
		item,
		`${what.charAt(0).toUpperCase()}${what.slice(1)} ${problem}`,
		'Each exclusion has a beginning and an end: an expression returns a list of objects, or items, with assetId, connector, from, to and reason.',
	);

/** Warns of exclusions that exclude nothing, since no station that was asked for, or none at all, has such a place. */
export function warnOfUnfitting(
	{ past, directory, assetIds }: Asked,
	exclusions: readonly EnteredExclusion[],
	fitting: ReadonlySet<Exclusion>,
	warn: OperationRun['warn'],
): void {
	if (directory.failure !== undefined) return;
	const known = new Set([...directory.assetIds, ...past.facts.stations.keys()]);
	const isAskedFor = ({ assetId }: Exclusion) =>
		assetId === undefined || !known.has(assetId) || assetIds?.has(assetId) !== false;
	const unfitting = exclusions.filter((one) => !fitting.has(one) && isAskedFor(one));
	if (unfitting.length === 0) return;
	const texts = unfitting.map(({ entry, assetId, connector }) => {
		const place = [assetId, connector && `connector ${connector}`].filter((one) => one);
		return `${entry} (${place.join(', ')})`;
	});
	warn(
		`No known station or connector fits ${someOf(texts)}. Check the asset ID and the connector.`,
		{ inLog: false },
	);
}
