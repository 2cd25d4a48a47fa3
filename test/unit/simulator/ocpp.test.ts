/** The messages of the simulated stations are those of their OCPP version. */
import { activated, generateAssets } from '../../../simulator/data/assets';
import { documentedEvents } from '../../../simulator/data/events';
import { fieldEvents } from '../../../simulator/data/field/source';
import { ComputedNetwork } from '../../../simulator/data/network/network';
import { OCPP_SHAPES } from '../../support/ocppShapes';
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

interface Seen {
	readonly asset: { readonly id: string };
	readonly protocol?: string;
	readonly messageType?: string;
	readonly action?: string;
	readonly payload?: unknown;
}

describe.each(Object.entries(SOURCES))('the messages of the profile %s', (profile, events) => {
	const messages = events
		.filter(({ type }) => type === 'ocpp.message')
		.map(({ data }) => data as unknown as Seen);
	const calls = messages.filter(({ messageType }) => messageType === 'CALL');

	it('are valid in the OCPP version that they are labelled with', () => {
		const wrong = calls.flatMap(({ protocol = '', action = '', payload }) => {
			const result = OCPP_SHAPES[protocol]?.[action]?.safeParse(payload);
			return result?.success
				? []
				: [`${protocol} ${action}: ${result?.error.message ?? 'unknown'}`];
		});
		expect(wrong).toEqual([]);
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
		const all = Object.entries(OCPP_SHAPES).flatMap(([protocol, shapes]) =>
			Object.keys(shapes).map((action) => `${protocol} ${action}`),
		);
		const isRare = (kind: string) => /BootNotification|SecurityEvent|StopTransaction$/.test(kind);
		const missing = all.filter((kind) => !kinds.has(kind));
		// The documented mix has only beginnings of sessions, and no restarts.
		expect(profile === 'documented' ? missing.filter((kind) => !isRare(kind)) : missing).toEqual(
			[],
		);
	});
});
