/** The imported energy register in meter values, which are the same in every message and version of OCPP but for the unit's place. */
import { numberOf, valueAt } from '../../shared/values';
import type { MeterReading } from './types';
import { elements, stationTime, text } from './values';

const REGISTER = 'energy.active.import.register';
const OUTLET = 'outlet';
const CONTEXTS: Readonly<Record<string, MeterReading['context']>> = {
	'transaction.begin': 'begin',
	'transaction.end': 'end',
};
const UNITS_WH: Readonly<Record<string, number>> = { wh: 1, kwh: 1_000, mwh: 1_000_000 };
/** Phases that add up to the total, in the two notations; between two phases, nothing is measured that does. */
const NOTATIONS = [/^l[123]$/, /^l[123]-n$/];
const PHASES = 3;

/** In the order of the message: one for each time and context. */
export function readingsOf(meterValues: unknown): MeterReading[] {
	return elements(meterValues).flatMap((meterValue) => {
		const time = stationTime(valueAt(meterValue, 'timestamp'));
		const samples = elements(valueAt(meterValue, 'sampledValue')).filter(isRegister);
		const contexts = new Set(samples.map(contextOf));
		return [...contexts].flatMap((context) => {
			const [location, ofContext] = atOnePlace(
				samples.filter((sample) => contextOf(sample) === context),
			);
			const total = totalOf(ofContext);
			if (total === undefined) return [];
			const { wh, phases } = total;
			// Some phases are compared only with the same ones.
			const where = phases === undefined ? location : `${location} ${phases}`;
			return [
				{
					wh,
					...(time !== undefined && { stationTime: time }),
					...(context !== undefined && { context }),
					...(where !== OUTLET && { location: where }),
				},
			];
		});
	});
}

const lower = (sample: unknown, field: string, absent: string) =>
	(text(valueAt(sample, field)) ?? absent).toLowerCase();

/** The measurand is the register by default. */
const isRegister = (sample: unknown): boolean =>
	lower(sample, 'measurand', REGISTER) === REGISTER && lower(sample, 'format', '') !== 'signeddata';

const contextOf = (sample: unknown) => CONTEXTS[lower(sample, 'context', '')];

/** Those at the outlet, otherwise those at the place of the first one: registers at two places differ. */
function atOnePlace(samples: readonly unknown[]): [string, unknown[]] {
	const placeOf = (sample: unknown) => lower(sample, 'location', OUTLET);
	const places = samples.map(placeOf);
	const place = places.includes(OUTLET) ? OUTLET : (places[0] ?? OUTLET);
	return [place, samples.filter((sample) => placeOf(sample) === place)];
}

interface Total {
	readonly wh: number;
	/** Absent if it is that of all phases. */
	readonly phases?: string;
}

/** In Wh: the first sample without a phase that can be read, otherwise the sum of the phases. */
function totalOf(samples: readonly unknown[]): Total | undefined {
	for (const sample of samples) {
		const wh = text(valueAt(sample, 'phase')) === undefined ? whOf(sample) : undefined;
		if (wh !== undefined) return { wh };
	}
	for (const notation of NOTATIONS) {
		const parts = new Map<string, number | undefined>();
		for (const sample of samples) {
			const phase = lower(sample, 'phase', '');
			if (notation.test(phase)) parts.set(phase, whOf(sample));
		}
		const values = [...parts.values()];
		if (values.length === 0 || !values.every((value) => value !== undefined)) continue;
		const wh = rounded(values.reduce((sum, value) => sum + value, 0));
		if (wh === undefined) continue;
		return values.length === PHASES ? { wh } : { wh, phases: [...parts.keys()].sort().join('+') };
	}
	return undefined;
}

function whOf(sample: unknown): number | undefined {
	const value = numberOf(valueAt(sample, 'value'));
	const unit = text(valueAt(sample, 'unit')) ?? text(valueAt(sample, 'unitOfMeasure.unit')) ?? 'Wh';
	const factor = UNITS_WH[unit.toLowerCase()];
	const multiplier = numberOf(valueAt(sample, 'unitOfMeasure.multiplier')) ?? 0;
	if (value === undefined || factor === undefined) return undefined;
	return rounded(value * 10 ** multiplier * factor);
}

/** Decimal fractions of kWh are not exact in binary. */
function rounded(wh: number): number | undefined {
	return Number.isFinite(wh) ? Math.round(wh * 1000) / 1000 : undefined;
}
