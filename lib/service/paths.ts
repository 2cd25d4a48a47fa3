/** Where a service that differs from the defaults has its fields: dot paths, of which the first one that leads to a value counts. */
import { asRecord, isRecord, own, valueAt } from '../shared/values';
import { SERVICE_INTERFACE, type ServiceInterface } from './defaults';
import type { ApiRecord } from './lists';

/** From a text with commas. */
export function pathsIn(text: string): string[] {
	return text
		.split(',')
		.map((path) => path.trim())
		.filter((path) => path !== '');
}

/** The first value at one of the paths that is not null; undefined if there is none. */
export function firstAt(value: unknown, paths: readonly string[]): unknown {
	for (const path of paths) {
		const found = valueAt(value, path) ?? undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Where an event, listed or delivered, has its fields. */
export const EVENT_PATHS = {
	id: 'eventIdPath',
	type: 'eventTypePath',
	createdAt: 'eventTimePath',
	data: 'eventPayloadPath',
	assetId: 'eventAssetIdPath',
} as const satisfies Readonly<Record<string, keyof ServiceInterface>>;

/**
 * For a service whose events look otherwise than by default: gives an event the shape of a delivered one, with its other
 * fields behind. An asset ID from elsewhere is also in `data.asset.id`. Undefined for events as by default, which stay as they are.
 */
export function eventShaper(
	service: ServiceInterface,
): ((event: ApiRecord) => ApiRecord) | undefined {
	const fields = Object.values(EVENT_PATHS);
	if (fields.every((name) => service[name] === SERVICE_INTERFACE[name])) return undefined;
	const { assetId: assetIds, ...ownFields } = EVENT_PATHS;
	const paths = Object.entries(ownFields).map(
		([name, at]) => [name, pathsIn(service[at])] as const,
	);
	const assetPaths = pathsIn(service[assetIds]);
	const moved = new Set(paths.flatMap(([name, from]) => [name, ...from]));
	return (event) => {
		const found = paths.map(([name, from]) => [name, firstAt(event, from)] as const);
		const { data, ...first } = Object.fromEntries(found.filter(([, value]) => value !== undefined));
		const others = Object.entries(event).filter(([name]) => !moved.has(name));
		return {
			...first,
			...(data !== undefined && { data: withAsset(data, firstAt(event, assetPaths)) }),
			...Object.fromEntries(others),
		};
	};
}

function withAsset(data: unknown, assetId: unknown): unknown {
	if (!isRecord(data) || assetId === undefined) return data;
	const asset = own(data, 'asset');
	return own(asset, 'id') === undefined
		? { ...data, asset: { ...asRecord(asset), id: assetId } }
		: data;
}
