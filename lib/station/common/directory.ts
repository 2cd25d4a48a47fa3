/** The names and fields of stations, from the asset list: kept in the process, and read again when they are needed. */
import { type ApiClient, type ApiRecord, flattener, LISTS, recordsOf } from '../../service';
import { PackageError } from '../../shared/errors';
import { someOf } from '../../shared/text';
import { textOf } from '../../shared/values';
import { type ListedStation, listedStation } from './assets';
import { limitIn, type LimitOf, type Limits, limitsIn } from './limits';
import { HOUR_MS, MINUTE_MS } from './settings';

/** Far above any network; it limits the memory. */
const MOST_ASSETS = 50_000;
const READ_EVERY_MS = HOUR_MS;
/** With an ID that the last list lacked. */
const READ_AGAIN_AFTER_MS = 10 * MINUTE_MS;
const PAGE_SIZE = 100;

const flat = flattener(LISTS.asset.fields);

/** A complete list of the assets. */
export interface Listing {
	/** When it began, in Unix milliseconds by the service's clock. */
	readonly at: number;
	readonly has: (assetId: string) => boolean;
}

export interface Directory {
	/** The last complete list; undefined for none. */
	readonly listing: Listing | undefined;
	/** The station's fields; a station that is not listed has its ID as its name. */
	readonly fieldsOf: (assetId: string) => Readonly<Record<string, unknown>>;
	/** What the list says of its places; undefined for a station that is not listed, and if that was not read. */
	readonly stationOf: (assetId: string) => ListedStation | undefined;
	/** Likewise. */
	readonly limitsOf: (assetId: string) => Limits | undefined;
	readonly limitOf: LimitOf;
	/** How many of the list are stations; undefined if it could not be read. */
	readonly stations: number | undefined;
	/** Of the list; empty if it could not be read. */
	readonly assetIds: readonly string[];
	/** Why the list could not be read; absent if it was, or need not be. */
	readonly failure?: unknown;
}

/** What is read of an asset besides its fields: of a whole network, each takes longer than they do. */
interface Parts {
	readonly places: boolean;
	readonly limits: boolean;
}

interface Kept {
	readonly readAt: number;
	readonly hasLimits: boolean;
	readonly directory: Directory;
}

/** By node. */
const directories = new Map<string, Kept>();

interface AssetSource {
	readonly client: Pick<ApiClient, 'list'>;
	readonly mayRequest: () => boolean;
	/** By the service's clock. */
	readonly serviceNow: number;
}

/**
 * Without the places of the stations. Reads the list if it is an hour old, or if it lacks one of the stations; not more often than
 * every ten minutes. Never rejects.
 */
export async function directoryFor(
	node: string,
	assetIds: readonly string[],
	{ now, limits, ...source }: AssetSource & { readonly now: number; readonly limits: boolean },
): Promise<Directory> {
	const kept = directories.get(node);
	const { directory: before = directoryOf() } = kept ?? {};
	// Those of before may have been of no use to the node.
	const isEnough = kept !== undefined && (kept.hasLimits || !limits);
	const ageMs = isEnough ? Math.abs(now - kept.readAt) : Infinity;
	const isLacking = () => assetIds.some((assetId) => before.listing?.has(assetId) !== true);
	if (ageMs < READ_AGAIN_AFTER_MS || (ageMs < READ_EVERY_MS && !isLacking())) return before;
	// The poll has no time left: the next one asks.
	if (!source.mayRequest()) return before;
	const { failure, ...directory } = await read(source, before, { places: false, limits });
	directories.set(node, { readAt: now, hasLimits: limits, directory });
	return failure === undefined ? directory : { ...directory, failure };
}

/** Reads the list for one question: nothing is kept. Never rejects. */
export async function directoryNow(
	client: AssetSource['client'],
	mayRequest: () => boolean = () => true,
): Promise<Directory> {
	const source = { client, mayRequest, serviceNow: Date.now() };
	return await read(source, directoryOf(), { places: true, limits: true });
}

/** Forgets what the process knows. */
export function forgetDirectory(node: string): void {
	directories.delete(node);
}

/** The directory before, if the list fails or is longer than may be read. */
async function read(
	{ client, mayRequest, serviceNow }: AssetSource,
	before: Directory,
	parts: Parts,
): Promise<Directory> {
	const assets = new Map<string, ApiRecord>();
	const stations = new Map<string, ListedStation>();
	const limits = new Map<string, Limits>();
	const end = { isRefused: false };
	const asked = () => !(end.isRefused = !mayRequest() || assets.size >= MOST_ASSETS);
	const options = { pageSize: PAGE_SIZE, readAhead: true, mayRequest: asked };
	try {
		for await (const record of recordsOf(client.list('asset', options))) {
			const id = textOf(record['id']);
			if (id === undefined) continue;
			assets.set(id, flat(record));
			if (parts.places) stations.set(id, listedStation(record));
			if (parts.limits) limits.set(id, limitsIn(record));
		}
	} catch (failure) {
		return { ...before, failure };
	}
	// An empty list is taken for a failure of the service: it would end every incident.
	const isComplete = !end.isRefused && assets.size > 0;
	return isComplete ? directoryOf(assets, serviceNow, stations, limits) : before;
}

/** @throws {PackageError} for IDs that the list lacks; a list that could not be read is no reason to throw. `field` is where they are entered. */
export function checkListed(
	assetIds: Iterable<string>,
	has: ((assetId: string) => boolean) | undefined,
	field: string,
): void {
	const unknown = [...new Set(assetIds)].filter((assetId) => has?.(assetId) === false);
	if (unknown.length === 0) return;
	throw new PackageError(`Not in the asset list: ${someOf(unknown)}`, {
		hint: `Select stations from the list in '${field}', or correct the IDs: 'Get Many' of the resource Asset returns them.`,
		isFinal: true,
	});
}

/** An asset without a type is taken for one. */
export function isStation({ type }: Readonly<Record<string, unknown>>): boolean {
	return typeof type !== 'string' || /station|charge/i.test(type);
}

function directoryOf(
	assets?: ReadonlyMap<string, ApiRecord>,
	at = 0,
	stations: ReadonlyMap<string, ListedStation> = new Map(),
	limits: ReadonlyMap<string, Limits> = new Map(),
): Directory {
	return {
		listing: assets && { at, has: (id) => assets.has(id) },
		stationOf: (assetId) => stations.get(assetId),
		limitsOf: (assetId) => limits.get(assetId),
		limitOf: (id, connector) => limitIn(limits.get(id), connector),
		stations: assets && [...assets.values()].filter(isStation).length,
		assetIds: [...(assets?.keys() ?? [])],
		fieldsOf: (assetId) => {
			const { name, ...fields } = assets?.get(assetId) ?? { id: assetId };
			// People read the name first.
			return { name: name ?? assetId, ...fields };
		},
	};
}
