/**
 * The process that is measured: one question, from a list that another process serves, by the compiled package with its thread, or
 * by a plain script. `tsx ask.ts <cpu | memory> <url> <who> <question> <from> <look back> <now>`; prints its figures as JSON.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type * as Service from '../../../lib/service';
import type * as Station from '../../../lib/station';
import type { Asked, StationSettings, Wants } from '../../../lib/station';
import { readStationSettings } from '../../../n8n/polling/station/settings';
import { watchLoop } from '../blocks';
import { sessions, uptime } from './plain';

const [, , what = '', url = '', who = '', question = '', ...numbers] = process.argv;
const [from = 0, lookBackMs = 0, now = 0] = numbers.map(Number);
const DIST = join(__dirname, '..', '..', '..', 'dist', 'lib');
const MB = 2 ** 20;

/** Compiled code, when it is needed. */
const load = createRequire(__filename);

/** Those that were started. */
const workers = new Set<Worker>();

function watchWorkers(): void {
	// The module object that compiled code uses, too.
	const threads = load('node:worker_threads') as { Worker: new (...given: never[]) => Worker };
	const { Worker: Original } = threads;
	threads.Worker = class extends Original {
		constructor(...given: never[]) {
			super(...given);
			workers.add(this);
			this.once('exit', () => workers.delete(this));
		}
	};
}

interface Peaks {
	main: number;
	all: number;
	buffers: number;
}

/** Looked at every 20 ms, with garbage. */
function watchHeaps(): () => Peaks {
	const peaks: Peaks = { main: 0, all: 0, buffers: 0 };
	const look = async () => {
		const { heapUsed, arrayBuffers } = process.memoryUsage();
		let all = heapUsed;
		for (const worker of workers) {
			const statistics = await worker.getHeapStatistics().catch(() => undefined);
			all += statistics?.used_heap_size ?? 0;
		}
		peaks.main = Math.max(peaks.main, heapUsed);
		peaks.all = Math.max(peaks.all, all);
		peaks.buffers = Math.max(peaks.buffers, arrayBuffers);
	};
	const timer = setInterval(() => void look(), 20);
	return () => {
		clearInterval(timer);
		return { main: peaks.main / MB, all: peaks.all / MB, buffers: peaks.buffers / MB };
	};
}

const settingsOf = (given: Readonly<Record<string, unknown>>): StationSettings =>
	readStationSettings((name, fallback) => given[name] ?? fallback).station;

interface Package {
	readonly station: typeof Station;
	readonly service: typeof Service;
}

async function ours({ station, service }: Package): Promise<readonly unknown[]> {
	const settings = { baseUrl: url, authUrl: url, audience: 'a', clientId: 'c', clientSecret: 's' };
	const client = service.createApiClient({
		settings: service.parseApiSettings(settings),
		transport: service.undiciTransport(),
		tokens: service.processAccessTokens,
	});
	const words = station.DEFAULT_CONNECTION;
	const places = (asked: Asked) => ({
		...{ per: 'connector', countUnavailable: true, unknownAs: 'leftOut', exclusions: [], words },
		parts: station.split(asked.past, 'day', 'Europe/Berlin'),
	});
	const faults = { triggerOn: 'connectorFault', forMinutes: 0, resolveAfterMinutes: 0 };
	const questions: Readonly<
		Record<string, readonly [Wants, (asked: Asked) => Promise<readonly unknown[]>]>
	> = {
		'Get Incidents': [
			station.WANTS_OF.stationOffline,
			(asked) => station.pastIncidents(asked, settingsOf({ triggerOn: 'stationOffline' })),
		],
		'Get Incidents, each fault': [
			station.WANTS_OF.connectorFault,
			(asked) => station.pastIncidents(asked, settingsOf(faults)),
		],
		'Get Sessions': [
			station.WANTS_OF.sessionEnded,
			(asked) => station.pastSessions(asked, settingsOf({ triggerOn: 'sessionEnded' }), false),
		],
		'Get Uptime': [
			{ connections: true, states: true, silence: true },
			(asked) =>
				station.pastUptime(asked, places(asked) as Parameters<typeof station.pastUptime>[1]),
		],
		'Get Outages': [
			{ connections: true, states: true, silence: true },
			(asked) =>
				station.pastOutages(asked, places(asked) as Parameters<typeof station.pastOutages>[1]),
		],
		'Get Status': [
			{ connections: true, states: true, sessions: true, silence: true },
			(asked) => station.stationStatus(asked, words),
		],
	};
	const [wants, ask] = questions[question] ?? [];
	if (wants === undefined || ask === undefined) throw new Error(`There is no '${question}'`);
	const past = await station.readPast({
		...{ client, wants, words, maxEvents: 2_000_000, now, from, lookBackMs },
	});
	const directory = await station.directoryNow(client);
	const owner = { workflowId: 'bench', nodeId: 'node' };
	return await ask({ past, directory, owner, assetIds: undefined });
}

function loadedPackage(): Package {
	const station = load(join(DIST, 'station')) as typeof Station;
	const service = load(join(DIST, 'service')) as typeof Service;
	return { station, service };
}

async function main(): Promise<void> {
	watchWorkers();
	const plain = question === 'Get Uptime' ? uptime : sessions;
	// n8n loads nodes when it starts. Compiled: the sources run without a thread.
	const loaded = who === 'ours' ? loadedPackage() : undefined;
	// Looking costs CPU.
	const look = what === 'memory' ? { heaps: watchHeaps(), block: watchLoop() } : undefined;
	const before = process.cpuUsage();
	const items = loaded ? await ours(loaded) : await plain({ url, from, lookBackMs, to: now });
	const { user, system } = process.cpuUsage(before);
	const cpu = (user + system) / 1e6;
	const figures = { cpu, items: items.length, block: look?.block() ?? 0, ...look?.heaps() };
	process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit());
}

void main();
