/** The names and fields of stations, from the asset list: kept in the process, and read again when they are needed. */
import { type ApiClient, type ApiRecord, flattener, LISTS } from '../service';
import { textOf } from '../shared/values';
import { HOUR_MS, MINUTE_MS } from './common/settings';
import type { Listing } from './decide/moment';

/** Far above any network; it limits the memory. */
const MOST_ASSETS = 50_000;
const READ_EVERY_MS = HOUR_MS;
/** With an ID that the last list lacked. */
const READ_AGAIN_AFTER_MS = 10 * MINUTE_MS;
const PAGE_SIZE = 100;

const flat = flattener(LISTS.asset.fields);

export interface Directory {
	/** The last complete list; undefined for none. */
	readonly listing: Listing | undefined;
	/** The station's fields; a station that is not listed has its ID as its name. */
	readonly fieldsOf: (assetId: string) => Readonly<Record<string, unknown>>;
	/** How many of the list are stations; undefined if it could not be read. */
	readonly stations: number | undefined;
	/** Of the list; empty if it could not be read. */
	readonly assetIds: readonly string[];
	/** Why the list could not be read; absent if it was, or need not be. */
	readonly failure?: unknown;
}

interface KeptDirectory {
	readonly readAt: number;
	readonly assets: ReadonlyMap<string, ApiRecord> | undefined;
	readonly stations: number | undefined;
	readonly listing: Listing | undefined;
}

/** By node. */
const directories = new Map<string, KeptDirectory>();
const NOTHING: KeptDirectory = {
	...{ readAt: -Infinity, assets: undefined, stations: undefined, listing: undefined },
};

interface DirectoryOptions {
	readonly node: string;
	readonly client: Pick<ApiClient, 'list'>;
	readonly mayRequest: () => boolean;
	readonly now: number;
	/** By the service's clock. */
	readonly serviceNow: number;
	/** The stations that have events. */
	readonly assetIds: Iterable<string>;
}

/** Reads the list if it is an hour old, or if it lacks a station; not more often than every ten minutes. Never rejects. */
export async function directoryFor(wanted: DirectoryOptions): Promise<Directory> {
	const { node, now, assetIds } = wanted;
	const before = directories.get(node) ?? NOTHING;
	const age = Math.abs(now - before.readAt);
	const isLacking = () => {
		for (const assetId of assetIds) if (before.assets?.has(assetId) !== true) return true;
		return false;
	};
	if (age < READ_AGAIN_AFTER_MS || (age < READ_EVERY_MS && !isLacking()))
		return asDirectory(before);
	try {
		const assets = await read(wanted);
		// An empty list is taken for a failure of the service: it would end every incident.
		const isComplete = assets !== undefined && assets.size > 0;
		const { serviceNow: at } = wanted;
		const listing = isComplete ? { at, has: (id: string) => assets.has(id) } : before.listing;
		const stations = isComplete ? [...assets.values()].filter(isStation).length : before.stations;
		const next = { readAt: now, assets: isComplete ? assets : before.assets, stations, listing };
		directories.set(node, next);
		return asDirectory(next);
	} catch (failure) {
		directories.set(node, { ...before, readAt: now });
		return { ...asDirectory(before), failure };
	}
}

/** Reads the list for one question: nothing is kept. Never rejects. */
export async function directoryNow(
	client: DirectoryOptions['client'],
	mayRequest: () => boolean = () => true,
): Promise<Directory> {
	try {
		const assets = await read({ client, mayRequest });
		return asDirectory({ ...NOTHING, assets });
	} catch (failure) {
		return { ...asDirectory(NOTHING), failure };
	}
}

/** Forgets what the process knows, for tests and for a node that is no longer published. */
export function forgetDirectory(node: string): void {
	directories.delete(node);
}

/** Undefined if the list is longer than may be read. */
async function read({
	client,
	mayRequest,
}: Pick<DirectoryOptions, 'client' | 'mayRequest'>): Promise<Map<string, ApiRecord> | undefined> {
	const assets = new Map<string, ApiRecord>();
	const end = { isRefused: false };
	const asked = () => !(end.isRefused = !mayRequest() || assets.size >= MOST_ASSETS);
	for await (const record of client.list('asset', {
		...{ pageSize: PAGE_SIZE, readAhead: true },
		mayRequest: asked,
	})) {
		const id = textOf(record['id']);
		if (id !== undefined) assets.set(id, flat(record));
	}
	return end.isRefused ? undefined : assets;
}

/** An asset without a type is taken for one. */
export function isStation({ type }: Readonly<Record<string, unknown>>): boolean {
	return typeof type !== 'string' || /station|charge/i.test(type);
}

function asDirectory({ assets, stations, listing }: KeptDirectory): Directory {
	return {
		...{ listing, stations },
		fieldsOf: (assetId) => {
			const { name, ...fields } = assets?.get(assetId) ?? { id: assetId };
			// People read the name first.
			return { name: name ?? assetId, ...fields };
		},
		get assetIds() {
			return [...(assets?.keys() ?? [])];
		},
	};
}
