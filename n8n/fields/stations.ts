/** Several stations as a user chooses them, from the asset list or by ID: the field, its list, and the IDs in it. */
import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';
import { assetFilter, flattener, LISTS, recordsOf } from '../../lib/service';
import { asText, isRecord } from '../../lib/shared/values';
import { isStation } from '../../lib/station';
import { apiClientFor } from '../api/apiClient';
import { toNodeError } from '../log/nodeError';

/** One station per row; without a row, all stations. */
export function stationsField(
	texts: Pick<INodeProperties, 'displayName' | 'name' | 'description'>,
	{ noDataExpression = false } = {},
): INodeProperties {
	const literal = noDataExpression && { noDataExpression };
	return {
		...texts,
		...literal,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add station',
		default: {},
		options: [
			{
				displayName: 'Station',
				name: 'station',
				values: [
					{
						displayName: 'Station',
						name: 'assetId',
						type: 'resourceLocator',
						default: { mode: 'list', value: '' },
						description: 'A station of the asset list',
						...literal,
						modes: [
							{
								displayName: 'From List',
								name: 'list',
								type: 'list',
								placeholder: 'Select a station...',
								hint: 'Search by name or ID',
								typeOptions: { searchListMethod: 'searchStations', searchable: true },
							},
							{
								displayName: 'By ID',
								name: 'id',
								type: 'string',
								placeholder: 'e.g. asset_01HZX3',
							},
						],
					},
				],
			},
		],
	};
}

/** The IDs in such a field, or in a text with commas or a list, as an expression or an import may have them; empty texts for empty rows. */
export function stationIdsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(stationIdsIn);
	if (!isRecord(value)) {
		const text = asText(value);
		return value === undefined || value === null ? [] : text.split(',').map((id) => id.trim());
	}
	if ('station' in value) return stationIdsIn(value['station']);
	if ('value' in value) return stationIdsIn(value['value'] ?? '');
	return 'assetId' in value ? stationIdsIn(value['assetId'] ?? '') : [];
}

const MOST = 100;
/** A user waits for it. */
const MOST_MS = 10_000;

const flat = flattener(LISTS.asset.fields);

/** The stations with the words of `filter` in their name, ID or serial number, by name. */
export async function searchStations(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	try {
		const client = await apiClientFor(this);
		const deadline = performance.now() + MOST_MS;
		const hasWords = assetFilter(filter);
		const matching: typeof hasWords = (asset) => isStation(asset) && hasWords(asset);
		const mayRequest = () => performance.now() < deadline;
		const stations: { readonly id: string; readonly name: string }[] = [];
		const listed = client.list('asset', { matching, mayRequest, limit: MOST, readAhead: true });
		for await (const record of recordsOf(listed)) {
			const { id, name } = flat(record);
			stations.push({ id: asText(id), name: asText(name) || asText(id) });
		}
		const byName = Map.groupBy(stations, ({ name }) => name);
		const results = stations.map(({ id, name }) => ({
			name: (byName.get(name)?.length ?? 0) > 1 ? `${name} (${id})` : name,
			value: id,
		}));
		return { results: results.sort((a, b) => a.name.localeCompare(b.name, 'en')) };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}
