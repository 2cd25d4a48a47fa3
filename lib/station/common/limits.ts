/** The most that the connectors of a station deliver, by the asset list: a register that rises faster is wrong. */
import type { ApiRecord } from '../../service';
import { numberOf, textOf, valueAt } from '../../shared/values';

const MEGAWATT = 1_000_000;
/** Also for a connector that is said to deliver less: a limit of the list can be that of a cable. */
const LEAST_W = 50_000;
/** Stations deliver a little more than they are built for, and measure not exactly. */
const MARGIN = 1.25;
const PHASES = 3;

/** The most that a connector of a station delivers, in W. */
export type LimitOf = (assetId: string, connector: string | undefined) => number;

/** Of the connectors whose amperage and voltage are listed, by their number, and of the others. */
export interface Limits {
	readonly other: number;
	readonly own: ReadonlyMap<number, number>;
}

export function limitsIn(record: ApiRecord): Limits {
	const type = textOf(valueAt(record, 'chargingStation.powerType'))?.toUpperCase() ?? '';
	const connectors = valueAt(record, 'chargingStation.connectors');
	return {
		other: type.startsWith('AC') ? LEAST_W : MEGAWATT,
		own: new Map(
			elements(connectors).flatMap((one, n) => {
				const watts = wattsOf(one, phasesOf(type));
				return watts > 0 ? [[numberOf(valueAt(one, 'id')) ?? n + 1, watts]] : [];
			}),
		),
	};
}

function phasesOf(type: string): number {
	if (type.startsWith('DC')) return 1;
	return numberOf(/\d/.exec(type)?.[0]) ?? PHASES;
}

const elements = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** 0 if the list does not say. */
function wattsOf(connector: unknown, phases: number): number {
	const amperage = numberOf(valueAt(connector, 'maxAmperage')) ?? 0;
	const voltage = numberOf(valueAt(connector, 'maxVoltage')) ?? 0;
	const watts = amperage * voltage * phases;
	return watts > 0 ? Math.max(LEAST_W, watts * MARGIN) : 0;
}

/** Of connector n in OCPP 1.6, and of EVSE n in 2.0.1. A station that is not listed may deliver a megawatt. */
export function limitIn(limits: Limits | undefined, connector: string | undefined): number {
	if (limits === undefined) return MEGAWATT;
	return limits.own.get(Number(connector?.split('/')[0])) ?? limits.other;
}
