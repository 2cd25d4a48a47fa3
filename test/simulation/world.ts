/** All parts of one simulation, and its history. */
import { ledgerKey } from '../../lib/ledger';
import type { Redis } from '../../lib/vendor/ioredis';
import type { Line, Step } from '../history/history';
import type { Reported } from '../support/fieldTruth';
import { Clock } from './clock';
import { WORKFLOW } from './contexts';
import { Disk, type Storage } from './disk';
import type { HostProcess } from './hostProcess';
import { N8n } from './n8n';
import type { LoadPackage } from './package';
import type { Random } from './random';
import { RedisHost } from './redis';
import type { Aim, Scenario } from './scenario';
import { Service } from './service';
import { generationOf, knownUpTo } from './stations/known';

/** Of every simulation, in Unix milliseconds. */
export const START = Date.parse('2026-11-23T09:00:00.000Z');

export class World {
	readonly history: Line[] = [];
	/** What n8n got from the station trigger, some of it more than once. */
	readonly reported: Reported[] = [];
	readonly clock = new Clock(START);
	readonly random: Random;
	readonly scenario: Scenario;
	readonly disk: Disk;
	/** Undefined if the ledger is on the disk. */
	readonly redis: RedisHost | undefined;
	readonly n8n: N8n;
	readonly service: Service;
	readonly loadPackage: LoadPackage;
	readonly env: Readonly<Record<string, string>>;
	/** Of the host, as its clock counts. */
	boot = 'boot-1';
	/** A fault of the simulation itself. */
	crashed: unknown;
	#bootedAt = START;
	readonly #events = new Map<string, string>();
	/** Lines of entries whose event is not known yet, by key. */
	readonly #unnamed = new Map<string, { event: string }[]>();
	/** By the key of the record. */
	readonly #generations = new Map<string, number>();
	#aims: { readonly aim: Aim; readonly act: (line: Step) => void }[] = [];

	constructor(options: {
		random: Random;
		scenario: Scenario;
		folder: string;
		loadPackage: LoadPackage;
		/** A real one, for the ledger. */
		redis: Redis | undefined;
	}) {
		const { random, scenario, folder, loadPackage, redis } = options;
		this.random = random;
		this.scenario = scenario;
		this.loadPackage = loadPackage;
		this.disk = new Disk(folder, this.clock, random);
		this.redis = redis && new RedisHost({ redis, clock: this.clock, random });
		this.env = {
			ASSET_SERVICE_LEDGER: redis ? 'redis' : 'sqlite',
			ASSET_SERVICE_LEDGER_SQLITE_PATH: this.disk.path,
			// Requests go through n8n's helper, which is simulated.
			N8N_SSRF_PROTECTION_ENABLED: 'true',
			...(scenario.mode === 'queue' && { EXECUTIONS_MODE: 'queue' }),
		};
		this.service = new Service(this);
		this.n8n = new N8n(this);
	}

	readonly note = (step: Step): void => {
		this.history.push({ at: this.clock.now, ...step });
		if (step.what === 'created') {
			this.#events.set(ledgerKey(WORKFLOW, step.event), step.event);
		}
		const aims = this.#aims.filter(({ aim }) => aim.what === step.what);
		if (aims.length === 0) return;
		this.#aims = this.#aims.filter((each) => !aims.includes(each));
		for (const { aim, act } of aims) {
			this.clock.after(aim.ms, () => {
				act(step);
			});
		}
	};

	get storage(): Storage {
		return this.redis ?? this.disk;
	}

	/** Acts after the next line of the history that is aimed at. */
	whenNext(aim: Aim, act: (line: Step) => void): void {
		this.#aims.push({ aim, act });
	}

	readonly crash = (error: unknown): void => {
		this.crashed ??= error;
	};

	/** Milliseconds since the host was started. */
	uptimeMs(): number {
		return Math.floor(this.clock.now - this.#bootedAt);
	}

	reboot(): void {
		this.boot = `boot-${this.clock.now}`;
		this.#bootedAt = this.clock.now;
	}

	entryChanged(host: HostProcess, key: string, from: string, to: string): void {
		const event = this.#events.get(key);
		if (event === undefined && !this.scenario.hasStation) return;
		this.note({ what: 'entry', by: host.name, event: event ?? '', from, to });
		const line = this.history.at(-1);
		if (event !== undefined || line?.what !== 'entry') return;
		this.#unnamed.set(key, [...(this.#unnamed.get(key) ?? []), line]);
	}

	/** The ID of an item is known when n8n gets it, which is after its first entry. */
	nameEntry(event: string): void {
		const key = ledgerKey(WORKFLOW, event);
		this.#events.set(key, event);
		for (const line of this.#unnamed.get(key) ?? []) line.event = event;
		this.#unnamed.delete(key);
	}

	recordChanged(host: HostProcess, key: string, text: string): void {
		const upTo = knownUpTo(key, text);
		if (upTo !== undefined) this.note({ what: 'known', by: host.name, upTo });
		const generation = generationOf(key, text);
		if (generation === undefined || generation === this.#generations.get(key)) return;
		this.#generations.set(key, generation);
		this.note({ what: 'generation', by: host.name, record: key, generation });
	}
}
