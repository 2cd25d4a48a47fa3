/** A service and a record store in memory, to try a registration on. */
import {
	ensureRegistered,
	load,
	openRegistration,
	type Registration,
	type RegistrationContext,
} from '../../../lib/endpoint';
import type { Records } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { Session } from '../../../lib/ledger/session';
import { gate } from '../../support/wait';
import { MemoryStore } from '../ledger/memoryStore';

export interface World {
	readonly context: RegistrationContext;
	readonly endpoints: Map<string, { url: string; events: readonly string[]; secret: string }>;
	readonly records: Map<string, string>;
	/** What the processes claim. */
	readonly ledger: MemoryStore;
	readonly warnings: string[];
	/** The most endpoints that there ever were at once. */
	mostAtOnce: number;
	now: number;
	fail: Partial<Record<'create' | 'delete' | 'exists' | 'swap', Error>>;
	/** The response in place of the real ID and secret; undefined leaves them out. */
	answer: { id?: string | undefined; secret?: string | undefined };
	/** The same in another process. */
	another(): RegistrationContext;
	/** A process that dies over its next creation: before the service makes the endpoint, or right after. */
	dying(when: 'before' | 'after'): { context: RegistrationContext; dead: Promise<void> };
}

/** The session of a process that is dead for everybody. */
const CLOSED = 0;

export const WANTED = { url: 'https://n8n.example.com/webhook/a/webhook', events: ['*'] };

export function createWorld(clientSecret = 'client-secret'): World {
	const endpoints: World['endpoints'] = new Map();
	const records = new Map<string, string>();
	const ledger = new MemoryStore();
	const warnings: string[] = [];
	let made = 0;
	const failing = (name: keyof World['fail']) => {
		const error = world.fail[name];
		if (error !== undefined) throw error;
	};
	const client: RegistrationContext['client'] = {
		async createWebhookEndpoint({ url, events }) {
			failing('create');
			made += 1;
			const id = `we_${made}`;
			const secret = `signing-secret-${made}`;
			endpoints.set(id, { url, events, secret });
			world.mostAtOnce = Math.max(world.mostAtOnce, endpoints.size);
			const answer = Object.entries({ id, url, secret, ...world.answer });
			const record = Object.fromEntries(answer.filter(([, value]) => value !== undefined));
			return { ...record, record };
		},
		async deleteWebhookEndpoint(id) {
			failing('delete');
			return endpoints.delete(id);
		},
		async webhookEndpointExists(id) {
			failing('exists');
			return endpoints.has(id);
		},
	};
	const store: Records = {
		async readRecord(key) {
			return records.get(key);
		},
		async swapRecord(key, expected, next) {
			failing('swap');
			if (records.get(key) !== expected) return false;
			if (next === undefined) records.delete(key);
			else records.set(key, next);
			return true;
		},
	};
	const own = new EventLedger({ store: ledger });
	const world: World = {
		context: {
			key: 'registration:w:n',
			records: store,
			client,
			clientSecret,
			fitsScheme: () => true,
			warn: (message) => warnings.push(message),
			now: () => world.now,
			openLedger: async () => own,
		},
		endpoints,
		records,
		ledger,
		warnings,
		mostAtOnce: 0,
		now: 1_000_000,
		fail: {},
		answer: {},
		another: () => {
			const other = new EventLedger({ store: ledger });
			return { ...world.context, openLedger: async () => other };
		},
		dying: (when) => {
			const session = new Session(ledger, { onLost: () => undefined });
			const other = new EventLedger({ store: ledger, session });
			const { opened: dead, open: die } = gate();
			const createWebhookEndpoint: typeof client.createWebhookEndpoint = async (input) => {
				if (when === 'after') await client.createWebhookEndpoint(input);
				ledger.sessions.set(session.name, CLOSED);
				die();
				return await new Promise(() => undefined);
			};
			let isDead = false;
			void dead.then(() => {
				isDead = true;
			});
			const swapRecord: Records['swapRecord'] = async (...swap) =>
				!isDead && (await store.swapRecord(...swap));
			const records = { ...store, swapRecord };
			const dying = { ...client, createWebhookEndpoint };
			const openLedger = async () => other;
			return { context: { ...world.context, records, client: dying, openLedger }, dead };
		},
	};
	return world;
}

/** A world whose workflow is published. */
export async function registered(): Promise<World> {
	const world = createWorld();
	await ensureRegistered(world.context, WANTED);
	return world;
}

/** A publication by a process that dies over it. */
export async function killPublication(world: World, when: 'before' | 'after'): Promise<void> {
	const { context, dead } = world.dying(when);
	void ensureRegistered(context, WANTED);
	await dead;
}

export async function registrationOf({ context }: World): Promise<Registration | undefined> {
	return (await load(context)).registration;
}

export async function secretsOf(world: World, clientSecret = world.context.clientSecret) {
	const registration = await registrationOf(world);
	return registration && openRegistration(registration, clientSecret);
}
