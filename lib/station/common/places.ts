/**
 * The places of a station: the station, its EVSEs and its connectors, and which of them a message speaks of. An address names a
 * component: `0` the station (connector 0 of OCPP 1.6; EVSE 0 of 2.0.1), `1` a connector of OCPP 1.6; in OCPP 2.0.1 `1/0` is
 * EVSE 1, `1/2` its connector 2, and `1/?` a connector that does not say which.
 */

export const STATION = '0';
const ANY = '?';
const WHOLE = '0';

/** Of a component of OCPP 2.0.1. Undefined numbers are those that it does not say. */
export function addressOf(
	kind: 'station' | 'evse' | 'connector' | 'other',
	evse: string | undefined,
	connector: string | undefined,
): string {
	// EVSE 0 is the whole station, and connector 0 the whole EVSE, though OCPP 2.0.1 has no connector 0.
	if (kind === 'station' || evse === '0') return STATION;
	if (kind === 'connector') return `${evse ?? ANY}/${connector ?? ANY}`;
	if (kind === 'evse') return `${evse ?? ANY}/${WHOLE}`;
	return evse === undefined ? STATION : `${evse}/${connector ?? WHOLE}`;
}

/** In OCPP 2.0.1; undefined for the station, and for a connector of OCPP 1.6. */
export function evseOfAddress(address: string): string | undefined {
	const slash = address.indexOf('/');
	return slash < 0 ? undefined : address.slice(0, slash);
}

/** Whether it is part of the tree of OCPP 2.0.1. The station is of both versions. */
export const is201 = (address: string): boolean => address.includes('/');
export const isEvse = (address: string): boolean => address.endsWith(`/${WHOLE}`);
export const isNumbered = (address: string): boolean => !address.includes(ANY);
export const isConnector = (address: string): boolean =>
	address !== STATION && !isEvse(address) && isNumbered(address);

/** As items name it: an EVSE by its number. */
export function placeName(address: string): string {
	return isEvse(address) ? address.slice(0, -2) : address;
}

/** By that name: of an EVSE and a connector, the connector. */
export const namesConnector = (name: string): boolean => name.includes('/');

export const byName = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** Since when the components of OCPP 2.0.1 are known, by address: when they first reported a state. */
export type KnownPlaces = Readonly<Record<string, number>>;

/** The tree of a station at each time, as far as messages showed it until then. */
export class Places {
	readonly #connectors = new Map<string, { readonly address: string; readonly since: number }[]>();
	readonly #evses = new Map<string, number>();

	constructor(known: KnownPlaces = {}) {
		for (const [address, since] of Object.entries(known)) {
			const evse = evseOfAddress(address);
			if (evse === undefined || evse === ANY) continue;
			this.#evses.set(evse, Math.min(since, this.#evses.get(evse) ?? since));
			if (!isConnector(address)) continue;
			const others = this.#connectors.get(evse);
			if (others === undefined) this.#connectors.set(evse, [{ address, since }]);
			else others.push({ address, since });
		}
	}

	/** The place that a component is at which was named at that time: one without a number is at the only place of its kind, otherwise at the one above. */
	placeOf(address: string, at: number): string {
		if (isNumbered(address)) return address;
		const [evse = ANY, connector] = address.split('/');
		const [only, ...others] =
			evse === ANY
				? [...this.#evses].flatMap(([name, since]) => (since <= at ? [name] : []))
				: [evse];
		if (only === undefined || others.length > 0) return STATION;
		if (connector === WHOLE) return `${only}/${WHOLE}`;
		return this.onlyConnector(only, at) ?? `${only}/${WHOLE}`;
	}

	/** The connector of an EVSE, if exactly one was known by then. */
	onlyConnector(evse: string, at: number): string | undefined {
		const [only, ...others] = (this.#connectors.get(evse) ?? []).filter(({ since }) => since <= at);
		return others.length === 0 ? only?.address : undefined;
	}

	/** When an EVSE came to have a second connector: the EVSE and its first one are one place until then. Infinity if it has none. */
	apartAt(evse: string): number {
		const since = (this.#connectors.get(evse) ?? []).map((one) => one.since).sort((a, b) => a - b);
		return since[1] ?? Infinity;
	}

	/** All names that a place had at that time: an EVSE and its only connector are one. */
	namesOf(address: string, at: number): string[] {
		const evse = evseOfAddress(address);
		const only = evse === undefined ? undefined : this.onlyConnector(evse, at);
		const isOne = only !== undefined && (address === only || isEvse(address));
		return isOne ? [evse ?? '', only] : [placeName(address)];
	}
}
