/** What stations send in a charging session: as the standard says, and as the field does. */
import { message, MINUTE } from './stationWorld';
import { assetOf, atOf, type Happening, SECOND, type Story } from './stories';

/** What the stations of sessions do besides what the standard says; each at the times of the story that it owns. */
const HABITS = [
	'none',
	'stops without a register',
	'meters without a transaction',
	'does not stop',
	'stops again',
	'has no clock at the start',
	'uses an ID again',
	'sends the start again',
	'has a clock ahead at the start',
] as const;
const AHEAD_MS = 8 * MINUTE;

const lengthOf = ({ what }: Happening) => (1 + what * 7) * MINUTE;

/** Without sessions that begin while another one of their connector lasts. */
export function apart(content: readonly Happening[]): Happening[] {
	const last = new Map<string, number>();
	return content
		.toSorted((a, b) => a.second - b.second)
		.filter((happening) => {
			const key = `${assetOf(happening)} ${happening.connector}`;
			const from = happening.second * SECOND;
			if (from <= (last.get(key) ?? -1)) return false;
			last.set(key, from + lengthOf(happening));
			return true;
		});
}

/** A session of some minutes: its messages are listed at different times. */
export const sessions: Story = (happening, n, version) => {
	const { connector, what, second } = happening;
	const [from, asset] = [atOf(happening, n), assetOf(happening)];
	const to = from + lengthOf(happening);
	const habit = HABITS[second % HABITS.length];
	const stamp = (at: number) => {
		if (at !== from) return new Date(at).toISOString();
		if (habit === 'has no clock at the start') return '2023-01-01T00:00:20Z';
		const aheadMs = habit === 'has a clock ahead at the start' ? AHEAD_MS : 0;
		return new Date(at + aheadMs).toISOString();
	};
	const starts = habit === 'sends the start again' ? [from, from + 20 * SECOND] : [from];
	// The register of a connector only rises.
	const fromWh = 1_000 + 10 * second;
	const toWh = fromWh + 500;
	const isUnmetered = habit === 'stops without a register';
	const isOutside = habit === 'meters without a transaction';
	const isMetered = isUnmetered || isOutside;
	/** One at the start, one in the middle, one at the end. */
	const values = [from + SECOND, (from + to) / 2, to - SECOND].map((at, part) => ({
		at: at + 1,
		value: fromWh + 200 * part,
	}));
	const again = habit === 'stops again' ? [to, to + 15 * MINUTE] : [to];
	const stops = habit === 'does not stop' ? [] : again;
	if (version === 'OCPP 1.6') {
		const transactionId = habit === 'uses an ID again' ? 1 : 1_000 + n;
		const start = (at: number) => ({
			...{ connectorId: connector, idTag: 'T', meterStart: fromWh },
			timestamp: stamp(at),
		});
		const valuesOf = ({ at, value }: (typeof values)[number]) => ({
			...{ connectorId: connector, ...(!isOutside && { transactionId }) },
			meterValue: [{ timestamp: stamp(at), sampledValue: [{ value: String(value) }] }],
		});
		// A station that got no response does not know the transaction.
		const isUnnamed = what === 3;
		const stop = (at: number) => ({
			...{ transactionId: isUnnamed ? -1 : transactionId },
			...{ meterStop: isMetered ? 0 : toWh, timestamp: stamp(at) },
		});
		const messageId = `start-${n}`;
		const response = { transactionId, idTagInfo: { status: 'Accepted' } };
		const [first] = values;
		return [
			...starts.map((at) => message(at, asset, ['StartTransaction', start(at)], { messageId })),
			...(isUnnamed
				? []
				: what === 1 && first !== undefined
					? [message(from + 1, asset, ['MeterValues', valuesOf(first)])]
					: [message(from + 1, asset, ['', response], { messageType: 'CALL_RESULT', messageId })]),
			...(isMetered
				? values.map((one) => message(one.at, asset, ['MeterValues', valuesOf(one)]))
				: []),
			...stops.map((at) => message(at, asset, ['StopTransaction', stop(at)])),
		];
	}
	const transactionInfo = { transactionId: habit === 'uses an ID again' ? '1' : `tx-${n}` };
	const valueOf = (at: number, value: number) => [
		{ timestamp: stamp(at), sampledValue: [{ value }] },
	];
	const of = (at: number, seqNo: number, eventType: string, wh: number | undefined) => {
		const evse = { id: connector, connectorId: 1 };
		const meterValue = wh === undefined ? {} : { meterValue: valueOf(at, wh) };
		const payload = { eventType, seqNo, timestamp: stamp(at), transactionInfo, evse };
		return message(at, asset, ['TransactionEvent', { ...payload, ...meterValue }]);
	};
	return [
		...starts.map((at) => of(at, 0, 'Started', isUnmetered ? undefined : fromWh)),
		of(from + 1, 1, 'Updated', isMetered ? undefined : fromWh),
		...values.flatMap(({ at, value }) => {
			if (isOutside) {
				const payload = { evseId: connector, meterValue: valueOf(at, value) };
				return [message(at, asset, ['MeterValues', payload])];
			}
			return isUnmetered ? [of(at, 2, 'Updated', value)] : [];
		}),
		...stops.map((at) => of(at, 3, 'Ended', isMetered ? undefined : toWh)),
	];
};
