/** n8n's UX guidelines, for every text of the forms that people fill in. */
import type { INodeProperties } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetServiceSigningSecretApi } from '../../../credentials/AssetServiceSigningSecretApi.credentials';
import { LISTS } from '../../../lib/service';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { NodeHelpers } from '../../support/nodeHelpers';

const NODES = [
	new AssetService(),
	new AssetServiceTrigger(),
	new AssetServicePollTrigger(),
	new AssetServiceStationTrigger(),
];
const STATIONS = NODES[3];
const FORMS: readonly [string, readonly INodeProperties[]][] = [
	...NODES.map(({ description }): [string, INodeProperties[]] => [
		description.displayName,
		description.properties,
	]),
	...[new AssetServiceApi(), new AssetServiceSigningSecretApi()].map(
		({ displayName, properties }): [string, INodeProperties[]] => [displayName, properties],
	),
];

interface Text {
	readonly of: string;
	readonly text: string;
}

/** A property, and all that are in it: options, modes, fields of collections. */
interface Part {
	readonly [key: string]: unknown;
	readonly name: string;
	readonly displayName?: string;
	readonly type?: string;
}

function partsOf(part: Part): Part[] {
	const inner = ['options', 'modes', 'values'].flatMap((key) => (part[key] ?? []) as Part[]);
	return [part, ...inner.flatMap(partsOf)];
}

const parts = FORMS.flatMap(([form, properties]) =>
	properties
		.flatMap((property) => partsOf({ ...property }))
		.map((part): Part & Pick<Text, 'of'> => ({
			...part,
			of: `${form}: ${part.displayName ?? part.name}`,
		})),
);

const texts = (key: string, kept: (part: Part) => boolean = () => true): Text[] =>
	parts.filter(kept).flatMap((part) => {
		const text = part[key];
		return typeof text === 'string' && text !== '' ? [{ of: part.of, text }] : [];
	});

const isField = ({ type }: Part) => type !== 'collection' && type !== 'fixedCollection';
const isMode = (part: Part) => part['typeOptions'] !== undefined && part.type === 'list';

it('a placeholder begins with "e.g."', () => {
	const wrong = texts('placeholder', (part) => isField(part) && !isMode(part)).filter(
		({ text }) => !text.startsWith('e.g. '),
	);
	expect(wrong).toEqual([]);
});

it('a label has each word in upper case', () => {
	// A field that only says what to correct is a sentence.
	const labels = texts(
		'displayName',
		({ type, name }) => type !== 'notice' && !name.includes('MustBe'),
	);
	const small = /(?:^| )(?!(?:a|an|and|by|for|from|in|of|on|or|per|the|to) )[a-z]/;
	expect(labels.filter(({ text }) => small.test(text))).toEqual([]);
});

it('a notice has at most three sentences, and 320 characters', () => {
	const notices = texts('displayName', ({ type }) => type === 'notice');
	expect(notices.length).toBeGreaterThan(3);
	const long = notices.filter(
		({ text }) => text.length > 320 || (text.match(/\.(?= |$)/g) ?? []).length > 3,
	);
	expect(long).toEqual([]);
});

it('a description of one sentence ends without a period, and one of several with it', () => {
	const wrong = [...texts('description'), ...texts('hint')].filter(({ text }) => {
		const sentences = text.split(/(?<=[^.]\.) (?=[A-Z'{])/).length;
		return text.endsWith('.') !== sentences > 1;
	});
	expect(wrong).toEqual([]);
});

it('a text has no gap where a value belongs', () => {
	const all = [...texts('description'), ...texts('displayName'), ...texts('placeholder')];
	expect(all.filter(({ text }) => /undefined|null|NaN|\[object/.test(text))).toEqual([]);
});

it('a text names a parameter in single quotes', () => {
	const all = [...texts('description'), ...texts('hint'), ...texts('displayName')];
	expect(all.filter(({ text }) => /["“”‘]/.test(text))).toEqual([]);
});

describe('an operation', () => {
	const { description } = new AssetService();
	const operations = description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [], displayOptions }) =>
			(options as { action: string; value: string }[]).map((option) => ({
				...option,
				resource: displayOptions?.show?.['resource']?.[0] as string,
			})),
		);

	it('has an action that begins with a verb and has no other word in upper case', () => {
		const wrong = operations.filter(
			({ action }) => !/^[A-Z][a-z]+(?:[,:;]? [a-z]+)+$/.test(action),
		);
		expect(wrong).toEqual([]);
	});

	it('has an action, all that n8n tells a model, that says what it is for, and what not or on which condition', () => {
		for (const { resource, value: operation, action } of operations) {
			const told = NodeHelpers.makeDescription({ resource, operation }, description);
			expect(told).toBe(`${action} in Asset Service`);
			expect([action, action.length < 120]).toEqual([action, true]);
			expect(action).toMatch(/ not | only after | without /);
		}
	});
});

it.each(NODES.map(({ description }) => [description.displayName, description.subtitle ?? '']))(
	'%s has a subtitle in title case',
	(_name, subtitle) => {
		const shown = [...subtitle.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
		const titles = shown.filter((text) => text.includes(' ') && text === text.trim());
		expect(titles.length).toBeGreaterThan(0);
		for (const title of titles) expect(title).toMatch(/^[A-Z][\w]*:?(?: [A-Z][\w]*:?)+$/);
	},
);

it.each(Object.entries(LISTS))(
	'a simplified record of the list %s has at most ten fields',
	(_name, { fields }) => {
		expect(Object.keys(fields).length).toBeLessThanOrEqual(10);
	},
);

describe('a trigger in the node panel', () => {
	const triggers = NODES.filter(({ description }) => description.group.includes('trigger'));

	// n8n would make them of the names, such as 'On ocpp message' and 'On other enter types'.
	it.each(triggers.map((node) => [node.description.displayName, node]))(
		'%s has an action for each thing that it triggers on',
		(_name, { description }) => {
			const triggerOn = description.properties.find((one) => one.displayName === 'Trigger On');
			const actions = triggerOn?.options?.map((one) => ('action' in one ? one.action : undefined));
			const ofEvents = ['On asset connectivity change', 'On OCPP message', 'On other event'];
			const ofStations = [
				...['On charging session ended', 'On connector fault'],
				...['On connector stuck in a status', 'On station offline'],
			];
			const isOfStations = description.name === STATIONS?.description.name;
			expect(actions).toEqual(isOfStations ? ofStations : ofEvents);
		},
	);

	// n8n would speak of a mock event, and of a service with the name of the node.
	it.each(triggers.map((node) => [node.description.displayName, node]))(
		'%s explains itself before and after it is published',
		(_name, { description: { triggerPanel } }) => {
			const both = {
				active: expect.stringContaining('Executions') as string,
				inactive: expect.stringContaining('ublish the workflow') as string,
			};
			expect(triggerPanel).toMatchObject({ executionsHelp: both });
		},
	);
});
