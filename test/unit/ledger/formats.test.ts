/**
 * Each text that a version keeps in the ledger is read by the later ones, from `formats.json`, and refused by the earlier ones. A text
 * of a format that was released stays in that file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPublication } from '../../../lib/accounts';
import { serveWaiting } from '../../../lib/accounts/requests';
import { load } from '../../../lib/endpoint';
import { beginOrWait, ledgerKey, LedgerUnavailableError, type Records } from '../../../lib/ledger';
import { decode } from '../../../lib/ledger/life/entry';
import { pollFormat } from '../../../lib/poll/events';
import { readPolls } from '../../../lib/rejections';
import { RejectionCounter } from '../../../lib/rejections/counter';
import { headFormat } from '../../../lib/station/common/head';
import { placesFormat } from '../../../lib/station/knownPlaces';
import { shardIn } from '../../../lib/station/shards';
import { array, object, parse, string, unknown } from '../../../lib/vendor/zod';
import { MemoryLedger } from './memoryLedger';

const sample = object({ kind: string(), text: string(), value: unknown() });
const SAMPLES = parse(
	array(sample),
	JSON.parse(readFileSync(join(__dirname, 'formats.json'), 'utf8')),
);
const WORKFLOW = 'workflow';

/** A store that holds this text in every record, and is not written. */
function holding(text: string): Records {
	return {
		readRecord: async () => text,
		swapRecord: async () => {
			throw new Error('written over');
		},
	};
}

async function requestIn(text: string): Promise<unknown> {
	const ledger = new MemoryLedger();
	ledger.store.put(ledgerKey(WORKFLOW, 'a'), 'overdue');
	ledger.records.set('replay:workflow:a', text);
	const publication = { publishedAt: 1, triggers: {}, replays: { node: ['replay:workflow:a'] } };
	let found: unknown;
	await serveWaiting(
		{ ledger, workflowId: WORKFLOW, nodeId: 'node' },
		publication,
		() => true,
		async (due) => {
			found = due;
			return { after: undefined };
		},
	);
	expect(ledger.records.get('replay:workflow:a')).toBe(text);
	return found;
}

async function endpointIn(text: string): Promise<unknown> {
	const slot = { key: 'registration', openLedger: async () => new MemoryLedger() };
	const { registration, unregisteredAt } = await load({ ...slot, records: holding(text) });
	return registration ?? { unregisteredAt };
}

/** How each kind is read. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
	entry: decode,
	'poll trigger': (text) => pollFormat.read(text),
	head: (text) => headFormat.read(text),
	shard: (text) => {
		const { stations = [], ...state } = shardIn(text) ?? {};
		return { ...state, stations: Object.fromEntries(stations) };
	},
	'places of stations': (text) => placesFormat.read(text),
	publication: async (text) => await readPublication(holding(text), WORKFLOW),
	'request to replay': requestIn,
	'counts of rejections': async (text) =>
		await new RejectionCounter().read(holding(text), WORKFLOW),
	'last poll': async (text) => (await readPolls(holding(text), WORKFLOW, 'node', 3)).last,
	endpoint: endpointIn,
	'endpoint of an unpublished trigger': endpointIn,
};

beforeEach(() => {
	jest.useFakeTimers({ now: 1_795_400_000_002 });
});
afterEach(() => {
	jest.useRealTimers();
});

const reading = async (kind: string, text: string): Promise<unknown> => {
	const reader = READERS[kind];
	if (reader === undefined) throw new Error(`A sample of ${kind}, which is not read`);
	return await reader(text);
};

it('has a sample of each kind', () => {
	expect(new Set(SAMPLES.map(({ kind }) => kind))).toEqual(new Set(Object.keys(READERS)));
});

it.each(SAMPLES)('reads a text of this format: $kind', async ({ kind, text, value }) => {
	expect(await reading(kind, text)).toEqual(value);
});

it.each(SAMPLES)(
	'refuses a text of a later format and names both: $kind',
	async ({ kind, text }) => {
		const later = reading(kind, text.replace(/^1/, '17'));
		await expect(later).rejects.toThrow(LedgerUnavailableError);
		await expect(later).rejects.toThrow(
			/written by a newer version of this package \(format 17, supported here: 1\): update the package/,
		);
	},
);

it.each(SAMPLES)(
	'refuses a text without a number, from before the first release: $kind',
	async ({ kind, text }) => {
		await expect(reading(kind, text.slice(1))).rejects.toThrow(
			/written by a version that was never released \(format 0, supported here: 1\)/,
		);
	},
);

describe('an entry that a newer version wrote', () => {
	const KEY = ledgerKey(WORKFLOW, 'newer');
	const beginning = { run: 'run', acknowledge: 'stored', retentionMs: 1_000 } as const;
	const newer = () => {
		const ledger = new MemoryLedger();
		ledger.put(KEY, 'stored');
		const kept = ledger.store.entries.get(KEY);
		if (kept === undefined) throw new Error('no entry');
		ledger.store.entries.set(KEY, { ...kept, text: kept.text.replace(/^1/, '2') });
		return ledger;
	};

	it('is neither claimed nor begun, and nothing is tried again in the background', async () => {
		const ledger = newer();
		await expect(ledger.claim(KEY)).rejects.toThrow(/newer version/);
		await expect(beginOrWait(async () => ledger, [KEY], beginning)).rejects.toThrow(
			/newer version/,
		);
		const { trips } = ledger.store;
		await jest.advanceTimersByTimeAsync(15_000);
		expect(ledger.store.trips).toBe(trips);
		await ledger.close();
	});

	it('holds up no other one', async () => {
		const ledger = newer();
		const other = ledgerKey(WORKFLOW, 'other');
		const all = await Promise.allSettled([ledger.claim(KEY), ledger.claim(other)]);
		expect(all).toMatchObject([{ status: 'rejected' }, { value: { state: 'claimed' } }]);
		await ledger.close();
	});
});
