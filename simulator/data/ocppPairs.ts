/** Calls of charging stations and the back end's responses, in both OCPP versions. */
import type { Asset } from './assets';
import { type Message, type Payload, protocolOf, type Session } from './ocppDialect';
import { dialectOf } from './ocppDialects';
import type { Random } from './random';

/** A call and its response. */
type Pair = (asset: Asset, random: Random) => readonly [call: Message, result: Response];
type Response = (now: string) => Payload;

const nothing: Response = () => ({});
const session = (random: Random): Session => ({
	connector: 1,
	transactionId: 1000 + random.int(9000),
	idTag: random.text(14).toUpperCase(),
	meterStartWh: random.int(100_000),
});

const PAIRS: readonly [Pair, ...Pair[]] = [
	(asset) => [dialectOf(asset).heartbeat, (now) => ({ currentTime: now })],
	(asset, random) => {
		const connector = 1 + random.int(asset.chargingStation.connectors.length);
		const status = random.pick(['Available', 'Preparing', 'Charging', 'Finishing']);
		return [dialectOf(asset).status(connector, status) ?? dialectOf(asset).heartbeat, nothing];
	},
	(asset, random) => {
		const sample = { registerWh: random.int(50_000), kilowatts: 6 + random.int(160) / 10 };
		return [dialectOf(asset).session(session(random)).measured(sample), nothing];
	},
	(asset, random) => {
		const accepted = { status: 'Accepted' };
		return [
			dialectOf(asset).session(session(random)).started(),
			protocolOf(asset) === 'ocpp1.6'
				? () => ({ idTagInfo: accepted, transactionId: 4711 })
				: () => ({ idTokenInfo: accepted }),
		];
	},
];

/** One in this many responses reports that the call failed. */
const ERROR_EVERY = 5;

/**
 * The returned function gives the data of the next `ocpp.message` event: a call, then its response with the same
 * `messageId`. Every fifth response is an error.
 */
export function ocppMessages(
	random: Random,
	pickAsset: () => Asset | undefined,
): (now: string) => Payload {
	let answer: ((now: string) => Payload) | undefined;
	let answers = 0;
	return (now) => {
		if (answer) {
			const data = answer(now);
			answer = undefined;
			return data;
		}
		const asset = pickAsset();
		if (!asset) return { asset: { id: 'asset_unknown' }, messageType: 'CALL', action: 'Heartbeat' };
		const [call, result] = random.pick(PAIRS)(asset, random);
		const common = {
			asset: { id: asset.id },
			messageId: random.text(24),
			protocol: protocolOf(asset),
		};
		answers += 1;
		const failed = answers % ERROR_EVERY === 0;
		answer = (later) =>
			failed
				? {
						...common,
						messageType: 'CALL_ERROR',
						errorCode: 'InternalError',
						errorDescription: 'The call could not be carried out',
						errorDetails: {},
					}
				: { ...common, messageType: 'CALL_RESULT', payload: result(later) };
		return {
			...common,
			messageType: 'CALL',
			action: call.action,
			payload: call.payload(now),
		};
	};
}
