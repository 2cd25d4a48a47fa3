/** Generates messages between charging stations and their back end: calls and their responses. */
import type { Asset } from './assets';
import type { Random } from './random';

type Data = Record<string, unknown>;

interface Call {
	action: string;
	/** Payload of the call. */
	payload: (random: Random, now: string) => Data;
	/** Payload of the response. */
	result: (now: string) => Data;
}

const CALLS: readonly [Call, ...Call[]] = [
	{
		action: 'Heartbeat',
		payload: () => ({}),
		result: (now) => ({ currentTime: now }),
	},
	{
		action: 'StatusNotification',
		payload: (random, now) => ({
			connectorId: 1 + random.int(2),
			errorCode: 'NoError',
			status: random.pick(['Available', 'Preparing', 'Charging', 'Finishing']),
			timestamp: now,
		}),
		result: () => ({}),
	},
	{
		action: 'MeterValues',
		payload: (random, now) => ({
			connectorId: 1,
			transactionId: 1000 + random.int(9000),
			meterValue: [
				{
					timestamp: now,
					sampledValue: [
						{
							value: String(random.int(50_000)),
							measurand: 'Energy.Active.Import.Register',
							unit: 'Wh',
						},
						{
							value: (6 + random.int(160) / 10).toFixed(1),
							measurand: 'Power.Active.Import',
							unit: 'kW',
						},
					],
				},
			],
		}),
		result: () => ({}),
	},
	{
		action: 'StartTransaction',
		payload: (random, now) => ({
			connectorId: 1,
			idTag: random.text(14).toUpperCase(),
			meterStart: random.int(100_000),
			timestamp: now,
		}),
		result: () => ({ idTagInfo: { status: 'Accepted' }, transactionId: 4711 }),
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
): (now: string) => Data {
	let answer: ((now: string) => Data) | undefined;
	let answers = 0;
	return (now) => {
		if (answer) {
			const data = answer(now);
			answer = undefined;
			return data;
		}
		const asset = pickAsset();
		const call = random.pick(CALLS);
		const protocol = asset?.chargingStation.protocol === 'OCPP_2_0_1' ? 'ocpp2.0.1' : 'ocpp1.6';
		const common = {
			asset: { id: asset?.id ?? 'asset_unknown' },
			messageId: random.text(24),
			protocol,
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
				: { ...common, messageType: 'CALL_RESULT', payload: call.result(later) };
		return {
			...common,
			messageType: 'CALL',
			action: call.action,
			payload: call.payload(random, now),
		};
	};
}
