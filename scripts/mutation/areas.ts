/** The code to mutate, and the tests that must fail for it: whole folders, so that a new file is in its area at once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Folders with all that is in them, from the root of the repository. */
export interface Area {
	readonly mutate: readonly string[];
	/** Stryker runs those for a mutant that cover it. None may only start processes: these run the unmutated code. */
	readonly tests: readonly string[];
}

/** A room of `lib`, with its own tests and those of the rooms that use it. */
const room = (name: string, ...tests: readonly string[]): Area => ({
	mutate: [`lib/${name}`],
	tests: [`test/unit/${name}`, ...tests],
});

const ACTION = 'test/integration/AssetService';
const WEBHOOK_TRIGGER = 'test/integration/AssetServiceTrigger';
const POLL_TRIGGER = 'test/integration/AssetServicePollTrigger';
const STATION_TRIGGER = 'test/integration/AssetServiceStationTrigger';
const OF_NODES = ['test/unit/nodes', ACTION, WEBHOOK_TRIGGER, POLL_TRIGGER, STATION_TRIGGER];

export const AREAS: Readonly<Record<string, Area>> = {
	signature: room('signature'),
	event: room('event', 'test/unit/receiver', WEBHOOK_TRIGGER),
	receiver: room('receiver', WEBHOOK_TRIGGER),
	rejections: room('rejections', ACTION),
	accounts: room('accounts', 'test/unit/poll', ACTION),
	follow: room('follow', 'test/unit/poll', 'test/unit/station'),
	poll: room('poll', POLL_TRIGGER),
	start: room('start', 'test/unit/poll'),
	station: room('station', STATION_TRIGGER, ACTION),
	ledger: room('ledger', 'test/e2e/ledger', 'test/simulation/model'),
	service: room('service', ACTION),
	endpoint: room('endpoint', WEBHOOK_TRIGGER),
	shared: room('shared', 'test/unit/event', 'test/unit/poll', 'test/unit/service'),
	n8n: { mutate: ['n8n'], tests: ['test/unit/n8n', 'test/unit/credentials', ...OF_NODES] },
	nodes: { mutate: ['nodes'], tests: OF_NODES },
	credentials: { mutate: ['credentials'], tests: ['test/unit/credentials', 'test/unit/nodes'] },
};

/** The folders of them that are there. */
export const present = (folders: readonly string[]): string[] =>
	folders.filter((folder) => existsSync(join(ROOT, folder)));
