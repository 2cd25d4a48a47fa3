/** Hands the stations of a question to the thread that decides, some at a time. It starts with the first question and ends when it is idle. */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import { messageOf, PackageError } from '../../shared/errors';
import { Thread, ThreadEndedError } from '../../shared/thread';
import { type Decided, type DecideRequest, type OfStation, serve } from './worker';

/** Each question of an execution follows the one before soon. In milliseconds. */
const IDLE_MS = 10_000;
/** Of facts that the thread gets at a time: between two such parts, a question can be cancelled. */
const BYTES_TOGETHER = 256 * 1024;
const STATIONS_TOGETHER = 100;

const thread = new Thread({ module: join(__dirname, 'worker'), serve, data: undefined });
let questions = 0;
let idle: NodeJS.Timeout | undefined;

interface Deciding<T> {
	/** If it is aborted, nobody waits for the items any more. */
	readonly signal: AbortSignal | undefined;
	/** Called with some items of a station, by its number. */
	readonly onItems: (station: number, items: readonly T[]) => void;
}

/** @throws the signal's reason, and an error that says what to do if the thread ends before it has decided. */
export async function decide<T>(
	{ stations, ...request }: DecideRequest,
	{ signal, onItems }: Deciding<T>,
): Promise<Omit<Decided, 'pieces'>> {
	clearTimeout(idle);
	questions += 1;
	try {
		const fitting: number[] = [];
		const removed: (readonly [string, number])[] = [];
		for (let first = 0; first < stations.length;) {
			const some = together(stations, first);
			const found = await called({ ...request, stations: some }, signal);
			fitting.push(...found.fitting);
			removed.push(...found.removed);
			for (const piece of found.pieces) {
				// The thread has written it.
				const items = deserialize(piece) as readonly (OfStation &
					readonly [number, readonly T[]])[];
				for (const [n, own] of items) onItems(first + n, own);
				await setImmediate();
			}
			first += some.length;
		}
		return { fitting, removed };
	} finally {
		questions -= 1;
		if (questions === 0) idle = setTimeout(() => void thread.stop(), IDLE_MS).unref();
	}
}

function together(stations: DecideRequest['stations'], first: number): DecideRequest['stations'] {
	let [bytes, end] = [0, first];
	do {
		for (const { length } of stations[end]?.log ?? []) bytes += length;
		end += 1;
	} while (end < stations.length && bytes < BYTES_TOGETHER && end - first < STATIONS_TOGETHER);
	return stations.slice(first, end);
}

async function called(request: DecideRequest, signal: AbortSignal | undefined): Promise<Decided> {
	signal?.throwIfAborted();
	const aborted = Promise.withResolvers<never>();
	const abort = () => {
		// The reason is the caller's own.
		aborted.reject(signal?.reason as Error);
		// Nobody waits for what it is doing.
		if (questions === 1) void thread.stop();
	};
	signal?.addEventListener('abort', abort, { once: true });
	try {
		return await Promise.race([aborted.promise, thread.call(request)]);
	} catch (error) {
		throw error instanceof ThreadEndedError ? endOf(error) : error;
	} finally {
		signal?.removeEventListener('abort', abort);
	}
}

function endOf(ended: ThreadEndedError): PackageError {
	const { cause } = ended;
	const why = messageOf(cause ?? ended);
	return new PackageError(
		`The events were read, but the thread that evaluates them ended: ${why}`,
		{
			hint: 'Run the node again. If this happens again, choose a shorter period or fewer stations.',
			cause: ended,
		},
	);
}
