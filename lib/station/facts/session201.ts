/** TransactionEvent of OCPP 2.0.1. */
import { numberOf } from '../../shared/values';
import type { Reader, Transaction } from './types';
import { at, connectorOf, elements, stationTime, text } from './values';

const PHASES: Readonly<Record<string, Transaction['phase']>> = {
	started: 'started',
	updated: 'updated',
	ended: 'ended',
};
const REGISTER = 'energy.active.import.register';
/** An absent reason means Local (OCPP 2.0.1, part 2, E06.FR.09). */
const DEFAULT_REASON = 'Local';

export const readTransactionEvent: Reader = ({ payload }) => {
	const transaction = text(at(payload, 'transactionInfo.transactionId'));
	const phase = PHASES[text(payload['eventType'])?.toLowerCase() ?? ''];
	if (transaction === undefined || phase === undefined) return undefined;
	const reason = text(at(payload, 'transactionInfo.stoppedReason')) ?? DEFAULT_REASON;
	return [
		{
			about: 'transaction',
			transaction,
			phase,
			seqNo: numberOf(payload['seqNo']),
			connector: connectorOf(at(payload, 'evse.id'), at(payload, 'evse.connectorId')),
			energyWh: energyOf(payload['meterValue'], phase),
			reason: phase === 'ended' ? reason : undefined,
			stationTime: stationTime(payload['timestamp']),
		},
	];
};

/** The imported energy register: the last one at the end of a transaction, otherwise the first one. */
function energyOf(meterValues: unknown, phase: Transaction['phase']): number | undefined {
	const registers = elements(meterValues).flatMap((meterValue) => {
		const samples = elements(at(meterValue, 'sampledValue')).filter(isRegister);
		const atOutlet = samples.find((sample) => isOutlet(sample)) ?? samples[0];
		const energy = whOf(atOutlet);
		return energy === undefined ? [] : [energy];
	});
	return phase === 'ended' ? registers.at(-1) : registers[0];
}

/** The measurand is the register by default; a phase makes it a part of the energy. */
function isRegister(sample: unknown): boolean {
	const measurand = text(at(sample, 'measurand')) ?? REGISTER;
	return measurand.toLowerCase() === REGISTER && text(at(sample, 'phase')) === undefined;
}

const isOutlet = (sample: unknown) =>
	(text(at(sample, 'location')) ?? 'Outlet').toLowerCase() === 'outlet';

function whOf(sample: unknown): number | undefined {
	const value = numberOf(at(sample, 'value'));
	if (value === undefined) return undefined;
	const unit = text(at(sample, 'unitOfMeasure.unit')) ?? 'Wh';
	const multiplier = numberOf(at(sample, 'unitOfMeasure.multiplier')) ?? 0;
	const energy = value * 10 ** multiplier * (unit.toLowerCase() === 'kwh' ? 1000 : 1);
	// Decimal fractions of kWh are not exact in binary.
	return Number.isFinite(energy) ? Math.round(energy * 1000) / 1000 : undefined;
}
