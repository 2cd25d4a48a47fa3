/** When a station is connected, what the service says of it, and what shows in between that it lives. */
import type { Voice } from './voice';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Intervals that back ends set by default. */
const HEARTBEATS_MS = [60, 240, 900, 3_600].map((seconds) => seconds * SECOND_MS);
/** Of a station whose old sockets are noticed late: often enough to show in time that it is connected. */
const FREQUENT_MS = [30, 60, 120].map((seconds) => seconds * SECOND_MS);
const COMMAND_EVERY_MS = 2 * MINUTE_MS;
const MOST_COMMANDS = 40;
/** Before and after a short loss, the station says nothing. */
const APART_MS = 5 * SECOND_MS;

/** A loss of the connection; without an end it lasts. */
export interface Loss {
	readonly from: number;
	readonly to: number | undefined;
	readonly isPowerCut: boolean;
}

interface Span {
	readonly fromMs: number;
	readonly toMs: number;
	readonly heartbeatMs: number | undefined;
}

/** Comes last: the other messages are known. */
export function tellLostConnections(voice: Voice, losses: readonly Loss[], span: Span): void {
	const { random } = voice;
	for (const loss of losses) lose(voice, loss, span.toMs);
	const intervals = voice.has('oldSocketClosesLater') ? FREQUENT_MS : HEARTBEATS_MS;
	const heartbeatMs = span.heartbeatMs ?? intervals[random.int(intervals.length)] ?? MINUTE_MS;
	const ups = losses.map((loss, n) => ({ from: losses[n - 1]?.to ?? span.fromMs, to: loss.from }));
	const last = losses.at(-1);
	if (losses.length === 0) ups.push({ from: span.fromMs, to: span.toMs });
	else if (last?.to !== undefined) ups.push({ from: last.to, to: span.toMs });
	for (const up of ups) {
		const length = up.to - up.from;
		const at = up.from + MINUTE_MS + random.int(Math.max(length - 6 * MINUTE_MS, 1));
		if (length < 10 * MINUTE_MS) continue;
		if (voice.has('oldSocketClosesLater')) {
			voice.connection(at, true);
			voice.connection(at + (5 + random.int(85)) * SECOND_MS, false);
		} else if (!voice.has('noConnected')) flap(voice, at);
		if (voice.has('otherWords')) voice.noise(up.from + random.int(length));
	}
	const gone = voice.truth.outages.filter(({ assetId }) => assetId === voice.assetId);
	for (let at = span.fromMs + random.int(heartbeatMs); at < span.toMs; at += heartbeatMs) {
		if (gone.some(({ from, to = Infinity }) => from <= at && at <= to)) continue;
		voice.heartbeat(at);
	}
}

function lose(voice: Voice, { from, to, isPowerCut }: Loss, endMs: number): void {
	const { assetId } = voice;
	voice.connection(from, false);
	voice.truth.outages.push({ assetId, from, ...(to !== undefined && { to }) });
	const until = to ?? endMs;
	if (voice.has('commandsWhileOffline')) {
		for (let n = 1; n <= MOST_COMMANDS && from + n * COMMAND_EVERY_MS < until; n++) {
			const at = from + n * COMMAND_EVERY_MS;
			if (n % 5 === 0) voice.command(at, 'DataTransfer', { vendorId: 'org.example' });
			else voice.command(at, 'TriggerMessage', { requestedMessage: 'Heartbeat' });
		}
	}
	if (voice.has('otherWords')) voice.noise(from + voice.random.int(until - from));
	if (to === undefined) return;
	if (!voice.has('noConnected')) voice.connection(to, true);
	else if (isPowerCut) voice.boot(to);
	else voice.heartbeat(to);
}

/** Lost and restored within seconds. */
function flap(voice: Voice, from: number): void {
	const to = from + (2 + voice.random.int(18)) * SECOND_MS;
	const isQuiet = voice.said.every(({ atMs }) => atMs < from - APART_MS || atMs > to + APART_MS);
	if (!isQuiet) return;
	voice.connection(from, false);
	voice.connection(to, true);
	voice.truth.outages.push({ assetId: voice.assetId, from, to });
}
