/** A service and a record store in memory, to try a registration on. */
import type { EndpointApi, RecordStore, RegistrationContext } from '../../../lib/registration';

export interface World {
	readonly context: RegistrationContext;
	readonly endpoints: Map<string, { url: string; events: readonly string[]; secret: string }>;
	readonly records: Map<string, string>;
	readonly warnings: string[];
	/** The most endpoints that there ever were at once. */
	mostAtOnce: number;
	now: number;
	fail: Partial<Record<'create' | 'delete' | 'exists' | 'swap', Error>>;
	answer: { id: boolean; secret: boolean };
}

export const WANTED = { url: 'https://n8n.example.com/webhook/a/webhook', events: ['*'] };

export function createWorld(clientSecret = 'client-secret'): World {
	const endpoints: World['endpoints'] = new Map();
	const records = new Map<string, string>();
	const warnings: string[] = [];
	let made = 0;
	const failing = (name: keyof World['fail']) => {
		const error = world.fail[name];
		if (error !== undefined) throw error;
	};
	const api: EndpointApi = {
		async create({ url, events }) {
			failing('create');
			made += 1;
			const id = `we_${made}`;
			const secret = `signing-secret-${made}`;
			endpoints.set(id, { url, events, secret });
			world.mostAtOnce = Math.max(world.mostAtOnce, endpoints.size);
			return {
				...(world.answer.id && { id }),
				...(world.answer.secret && { secret }),
				keys: [
					...(world.answer.id ? ['id'] : []),
					'url',
					...(world.answer.secret ? ['secret'] : []),
				],
			};
		},
		async delete(id) {
			failing('delete');
			endpoints.delete(id);
		},
		async exists(id) {
			failing('exists');
			return endpoints.has(id);
		},
	};
	const store: RecordStore = {
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
	const world: World = {
		context: {
			key: 'registration:w:n',
			records: store,
			api,
			clientSecret,
			warn: (message) => warnings.push(message),
			now: () => world.now,
		},
		endpoints,
		records,
		warnings,
		mostAtOnce: 0,
		now: 1_000_000,
		fail: {},
		answer: { id: true, secret: true },
	};
	return world;
}
