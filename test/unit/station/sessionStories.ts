/** What stations send in a charging session: as the standard says, and as the field does. */
import { message, MINUTE, type StationEvent } from './stationWorld';
import { assetOf, atOf, type Happening, SECOND, type Story, type Version } from './stories';

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
	'stops without an ID',
	'stops again in the next session',
	'swaps IDs with another session',
	'stops with and without an ID',
	'begins twice in a moment',
] as const;
type Habit = (typeof HABITS)[number];
const AHEAD_MS = 8 * MINUTE;
/** Of what a happening adds to make another one of it. */
const OTHER = { n: 500, connector: 100, wh: 50_000 };

/** The second of the story that is the `n`th with a habit, about ten minutes after the one before. */
export const secondOf = (habit: Habit, n: number): number =>
	HABITS.indexOf(habit) + n * 50 * HABITS.length;
const habitOf = ({ second }: Happening) => HABITS[second % HABITS.length] ?? 'none';

const lengthOf = ({ what }: Happening) => (1 + what * 7) * MINUTE;
const isFollowed = (happening: Happening) =>
	habitOf(happening) === 'stops again in the next session';
/** The next session, which is short. */
const nextOf = (happening: Happening): Happening => ({
	...happening,
	...{ second: happening.second + lengthOf(happening) / SECOND + 60, what: 0 },
});

/** Without sessions that begin while another one of their connector lasts. */
export function apart(content: readonly Happening[]): Happening[] {
	const last = new Map<string, number>();
	return content
		.toSorted((a, b) => a.second - b.second)
		.filter((happening) => {
			const key = `${assetOf(happening)} ${happening.connector}`;
			const from = happening.second * SECOND;
			if (from <= (last.get(key) ?? -1)) return false;
			const end = isFollowed(happening) ? nextOf(happening) : happening;
			last.set(key, end.second * SECOND + lengthOf(end));
			return true;
		});
}

/** A session of some minutes, and what belongs to its habit: the messages are listed at different times. */
export const sessions: Story = (happening, n, version) => {
	const habit = habitOf(happening);
	const own = { happening, n, version, habit, stopsAs: 1_000 + n };
	if (isFollowed(happening)) {
		const next = { ...own, happening: nextOf(happening), n: n + OTHER.n, habit: 'none' as const };
		return [...messagesOf(own), ...messagesOf({ ...next, stopsAs: 1_000 + next.n })];
	}
	if (habit !== 'swaps IDs with another session' || version !== 'OCPP 1.6') return messagesOf(own);
	const other = { ...own, n: n + OTHER.n, isOther: true };
	return [...messagesOf({ ...own, stopsAs: 1_000 + other.n }), ...messagesOf(other)];
};

interface Part {
	readonly happening: Happening;
	readonly n: number;
	readonly version: Version;
	readonly habit: Habit;
	readonly stopsAs: number;
	/** Of another connector, with another register. */
	readonly isOther?: boolean;
}

function messagesOf(part: Part): StationEvent[] {
	const { happening, n, version, habit, stopsAs, isOther = false } = part;
	const { what, second } = happening;
	const connector = happening.connector + (isOther ? OTHER.connector + n : 0);
	const [from, asset] = [atOf(happening, n), assetOf(happening)];
	// The one with the higher register ends first, or last.
	const to = from + lengthOf(happening) + (isOther ? (what % 2 === 0 ? 3 : -0.5) * MINUTE : 0);
	const stamp = (at: number) => {
		if (at !== from) return new Date(at).toISOString();
		if (habit === 'has no clock at the start') return '2023-01-01T00:00:20Z';
		const aheadMs = habit === 'has a clock ahead at the start' ? AHEAD_MS : 0;
		return new Date(at + aheadMs).toISOString();
	};
	/** When they are sent; the station's time is the first one. */
	const starts = habit === 'sends the start again' ? [from, from + 20 * SECOND] : [from];
	// The register of a connector only rises.
	const fromWh = 1_000 + 10 * second + (isOther ? OTHER.wh : 0);
	const toWh = fromWh + 500;
	const isUnmetered = habit === 'stops without a register';
	const hasNameless = habit === 'stops with and without an ID' && version === 'OCPP 1.6';
	const isOutside =
		habit === 'meters without a transaction' ||
		(habit === 'begins twice in a moment' && n % 2 === 0);
	const isMetered = isUnmetered || isOutside || hasNameless;
	/** One at the start, one in the middle, one at the end. */
	const values = [from + SECOND, (from + to) / 2, to - SECOND].map((at, part) => ({
		at: at + 1,
		value: fromWh + 200 * part,
	}));
	const again =
		habit === 'stops again'
			? [to, to + 15 * MINUTE]
			: habit === 'stops again in the next session'
				? [to, to + 1.5 * MINUTE]
				: [to];
	const stops = habit === 'does not stop' ? [] : again;
	if (version === 'OCPP 1.6') {
		const isReused = habit === 'uses an ID again';
		const [transactionId, stopId] = isReused ? [1, 1] : [1_000 + n, stopsAs];
		const start = {
			...{ connectorId: connector, idTag: 'T', meterStart: fromWh },
			timestamp: stamp(from),
		};
		const valuesOf = ({ at, value }: (typeof values)[number]) => ({
			...{ connectorId: connector, ...(!isOutside && { transactionId }) },
			meterValue: [{ timestamp: stamp(at), sampledValue: [{ value: String(value) }] }],
		});
		// A station that got no response does not know the transaction.
		const isUnnamed = what === 3;
		const stop = (at: number) => ({
			...(habit !== 'stops without an ID' && { transactionId: isUnnamed ? -1 : stopId }),
			...{ meterStop: isMetered && !(hasNameless && n % 2 === 0) ? 0 : toWh, timestamp: stamp(at) },
		});
		/** Another one around its own stop, with its register or not. */
		const nameless = [-40, -20, 0, 20, 40, 80].map((afterSeconds) => {
			const at = to + afterSeconds * SECOND;
			const meterStop = [toWh, toWh - 200, toWh + 3_000, 0][(n >> 1) % 4];
			const payload = { transactionId: -1, meterStop, timestamp: stamp(at) };
			return message(at, asset, ['StopTransaction', payload]);
		});
		/** The last register follows the stop, which has none. */
		const closing = (at: number) => {
			const sampledValue = [{ value: String(toWh), context: 'Transaction.End' }];
			const meterValue = [{ timestamp: stamp(at), sampledValue }];
			return message(at, asset, ['MeterValues', { ...valuesOf({ at, value: toWh }), meterValue }]);
		};
		/** The first time it stops at once, by a clock without seconds. */
		const attempt = (id: number) => {
			const [messageId, payload] = [
				`attempt-${n}`,
				{ transactionId: id, meterStop: fromWh, timestamp: stamp(from) },
			];
			const answer = { transactionId: id, idTagInfo: { status: 'Accepted' } };
			return [
				message(from - 30 * SECOND, asset, ['StartTransaction', start], { messageId }),
				message(from - 29 * SECOND, asset, ['', answer], { messageType: 'CALL_RESULT', messageId }),
				message(from - 15 * SECOND, asset, ['StopTransaction', payload]),
			];
		};
		const messageId = `start-${n}`;
		const response = { transactionId, idTagInfo: { status: 'Accepted' } };
		const [first] = values;
		return [
			...(habit === 'begins twice in a moment' ? attempt(5_000 + n) : []),
			...starts.map((at) => message(at, asset, ['StartTransaction', start], { messageId })),
			...(isUnnamed
				? []
				: what === 1 && first !== undefined
					? [message(from + 1, asset, ['MeterValues', valuesOf(first)])]
					: [message(from + 1, asset, ['', response], { messageType: 'CALL_RESULT', messageId })]),
			...(isMetered
				? values.map((one) => message(one.at, asset, ['MeterValues', valuesOf(one)]))
				: []),
			...(hasNameless ? nameless.slice(n % 6).slice(0, 1) : []),
			...stops.map((at) => message(at, asset, ['StopTransaction', stop(at)])),
			...(isMetered && what === 2 ? stops.map((at) => closing(at + ((n * 7) % 80) * SECOND)) : []),
		];
	}
	const transactionInfo = { transactionId: habit === 'uses an ID again' ? '1' : `tx-${n}` };
	const valueOf = (at: number, value: number, context?: string) => [
		{ timestamp: stamp(at), sampledValue: [{ value, ...(context && { context }) }] },
	];
	const of = (
		at: number,
		seqNo: number,
		eventType: string,
		wh: number | undefined,
		context?: string,
	) => {
		const evse = { id: connector, connectorId: 1 };
		const meterValue = wh === undefined ? {} : { meterValue: valueOf(at, wh, context) };
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
		// The last register follows the end, which has none.
		...(isMetered && what === 2
			? stops.map((at) => of(at + ((n * 7) % 80) * SECOND, 4, 'Updated', toWh, 'Transaction.End'))
			: []),
	];
}
