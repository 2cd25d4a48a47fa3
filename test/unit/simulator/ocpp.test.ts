/** The messages of the simulated stations are those of their OCPP version, by its published schemas. */
import { activated, generateAssets } from '../../../simulator/data/assets';
import { documentedEvents } from '../../../simulator/data/events';
import {
	fits,
	type HabitName,
	HABIT_NAMES,
	HABITS,
} from '../../../simulator/data/field/habits/habits';
import { fieldHistory, stationsOf } from '../../../simulator/data/field/habits/history';
import { fieldEvents } from '../../../simulator/data/field/source';
import { ComputedNetwork } from '../../../simulator/data/network/network';
import type { Protocol } from '../../../simulator/data/ocppDialect';
import { OCPP_SAMPLES } from '../../support/ocppSamples';
import { hasSchemas, violations } from '../../support/ocppSchemas';
import { START } from './world';

const assets = generateAssets(40);
const VERSIONS = { OCPP_1_6: 'ocpp1.6', OCPP_2_0_1: 'ocpp2.0.1' };
const network = new ComputedNetwork(assets.map(activated), 2);
const last = network.slotAt(START);

const SOURCES = {
	documented: documentedEvents(assets).history(4_000, START),
	field: fieldEvents(assets).history(8_000, START),
	network: Array.from({ length: 10_000 }, (_, n) => network.eventAt(last - n) ?? []).flat(),
};

/** What stations send, in each version. */
const KINDS = {
	'ocpp1.6': [
		...['BootNotification', 'Heartbeat', 'MeterValues', 'SecurityEventNotification'],
		...['StartTransaction', 'StatusNotification', 'StopTransaction'],
	],
	'ocpp2.0.1': [
		...['BootNotification', 'Heartbeat', 'NotifyEvent', 'SecurityEventNotification'],
		...['StatusNotification', 'TransactionEvent'],
	],
};

interface Seen {
	readonly asset: { readonly id: string };
	readonly messageId: string;
	readonly protocol: string;
	readonly messageType: string;
	readonly action?: string;
	readonly payload: unknown;
}

/** Of calls, and of the responses to them. */
function wrongIn(messages: readonly Seen[]): string[] {
	const calls = messages.filter(({ messageType }) => messageType === 'CALL');
	const actions = new Map(calls.map(({ messageId, action = '' }) => [messageId, action]));
	return messages
		.filter(({ messageType }) => messageType !== 'CALL_ERROR')
		.flatMap((message) => violations({ ...message, action: actions.get(message.messageId) ?? '' }));
}

describe.each(Object.entries(SOURCES))('the messages of the profile %s', (profile, events) => {
	const messages = events
		.filter(({ type }) => type === 'ocpp.message')
		.map(({ data }) => data as unknown as Seen);
	const calls = messages.filter(({ messageType }) => messageType === 'CALL');

	it('are valid in the OCPP version that they are labelled with', () => {
		expect(wrongIn(messages)).toEqual([]);
	});

	it('are labelled with the version of their station, and come from both', () => {
		const versions = new Map(
			assets.map(({ id, chargingStation: { protocol } }) => [id, VERSIONS[protocol]]),
		);
		expect(messages.filter(({ asset, protocol }) => protocol !== versions.get(asset.id))).toEqual(
			[],
		);
		expect(new Set(messages.map(({ protocol }) => protocol))).toEqual(
			new Set(Object.values(VERSIONS)),
		);
	});

	it('are of every kind that stations send', () => {
		const kinds = new Set(calls.map(({ protocol, action }) => `${protocol} ${action}`));
		const all = Object.entries(KINDS).flatMap(([protocol, actions]) =>
			actions.map((action) => `${protocol} ${action}`),
		);
		const isRare = (kind: string) => /BootNotification|SecurityEvent|StopTransaction$/.test(kind);
		const missing = all.filter((kind) => !kinds.has(kind));
		// The documented mix has only beginnings of sessions, and no restarts.
		expect(profile === 'documented' ? missing.filter((kind) => !isRare(kind)) : missing).toEqual(
			[],
		);
	});
});

it('the samples are valid in their version', () => {
	const samples = OCPP_SAMPLES.filter(({ protocol }) => hasSchemas(protocol));
	expect(samples.flatMap((sample) => violations(sample))).toEqual([]);
	expect(samples.length).toBeGreaterThan(50);
});

describe('stations as in the field', () => {
	const messagesOf = (protocol: Protocol, habits: readonly HabitName[]) => {
		const span = { fromMs: START, lengthMs: 24 * 3_600_000 };
		const assets = stationsOf(protocol, 4);
		const { events } = fieldHistory({ seed: 7, assets, habits, ...span });
		return events
			.filter(({ type }) => type === 'ocpp.message')
			.map(({ data }) => data as unknown as Seen);
	};

	describe.each(['ocpp1.6', 'ocpp2.0.1'] as const)('%s', (protocol) => {
		const own = HABIT_NAMES.filter((name) => fits(name, protocol));

		it.each(['none', ...own])('keep to the schemas, with the habit %s', (habit) => {
			const habits = own.filter((name) => name === habit);
			const allowed = habits.flatMap((name) => HABITS[name].breaks ?? []);
			const wrong = new Set(wrongIn(messagesOf(protocol, habits)));
			expect([...wrong].filter((what) => !allowed.includes(what))).toEqual([]);
			expect(wrong.size > 0).toBe(allowed.length > 0);
		});
	});
});
