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
			const { wh, step, phases } = total;
			// Some phases are compared only with the same ones.
			const where = phases === undefined ? location : `${location} ${phases}`;
			return [
				{
					wh,
					...(step !== undefined && { step }),
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

interface EnergyValue {
	readonly wh: number;
	/** Of its last digit, in Wh, if that is more than 1. */
	readonly step?: number;
}

interface Total extends EnergyValue {
	/** Absent if it is that of all phases. */
	readonly phases?: string;
}

/** In Wh: the first sample without a phase that can be read, otherwise the sum of the phases. */
function totalOf(samples: readonly unknown[]): Total | undefined {
	for (const sample of samples) {
		const value = text(valueAt(sample, 'phase')) === undefined ? valueOf(sample) : undefined;
		if (value !== undefined) return value;
	}
	for (const notation of NOTATIONS) {
		const parts = new Map<string, EnergyValue | undefined>();
		for (const sample of samples) {
			const phase = lower(sample, 'phase', '');
			if (notation.test(phase)) parts.set(phase, valueOf(sample));
		}
		const values = [...parts.values()];
		if (values.length === 0 || !values.every((value) => value !== undefined)) continue;
		const wh = rounded(values.reduce((sum, value) => sum + value.wh, 0));
		if (wh === undefined) continue;
		const step = values.reduce((sum, value) => sum + (value.step ?? 0), 0);
		const total = step > 0 ? { wh, step } : { wh };
		if (values.length === PHASES) return total;
		return { ...total, phases: [...parts.keys()].sort().join('+') };
	}
	return undefined;
}

function valueOf(sample: unknown): EnergyValue | undefined {
	const said = valueAt(sample, 'value');
	const value = numberOf(said);
	const unit = text(valueAt(sample, 'unit')) ?? text(valueAt(sample, 'unitOfMeasure.unit')) ?? 'Wh';
	const factor = UNITS_WH[unit.toLowerCase()];
	const multiplier = numberOf(valueAt(sample, 'unitOfMeasure.multiplier')) ?? 0;
	if (value === undefined || factor === undefined) return undefined;
	const wh = rounded(value * 10 ** multiplier * factor);
	if (wh === undefined) return undefined;
	const step = rounded(stepOf(String(said)) * 10 ** multiplier * factor);
	// A 0 can be a placeholder.
	return step !== undefined && step > 1 && wh !== 0 ? { wh, step } : { wh };
}

/** Of the last digit of a number. */
function stepOf(numeral: string): number {
	const [digits = '', exponent = '0'] = numeral.toLowerCase().split('e');
	const decimals = digits.split('.')[1]?.trim() ?? '';
	return 10 ** (Number(exponent) - decimals.length);
}

/** Decimal fractions of kWh are not exact in binary. */
function rounded(wh: number): number | undefined {
	return Number.isFinite(wh) ? Math.round(wh * 1000) / 1000 : undefined;
}
