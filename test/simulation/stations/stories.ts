/**
 * The stories of the stations of a seed: what each one sends, and when the list has it.
 *
 * Facts: an event is listed some seconds after it was created, seldom some minutes, and hardly ever over an hour. Lengths are
 * around the times that the trigger waits for, since that is where it has to decide.
 */
import type { StationSettings } from '../../history/history';
import type { Random } from '../random';
import { type Message, Speaker, type Version } from './messages';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Stories begin before the publication. */
const EARLIEST_MS = -20 * MINUTE_MS;
/** Events of a station that are listed later than the watermark waits for; the checker tries all subsets of them. */
const MOST_LATE = 3;

export interface ListedMessage extends Message {
	readonly listedAfterMs: number;
}

interface Story {
	readonly random: Random;
	readonly label: string;
	readonly asset: string;
	readonly version: Version;
	readonly speaker: Speaker;
	readonly settings: readonly StationSettings[];
	readonly lengthMs: number;
	/** How long an event usually takes to be listed. */
	readonly lagMs: number;
	/** Each event takes about as long as it may without being late. */
	readonly isSlow: boolean;
	readonly lateShare: number;
	readonly latestMs: number;
	readonly near: readonly number[];
}

const STATUSES: Readonly<Record<Version, readonly string[]>> = {
	'1.6': ['Available', 'Preparing', 'Charging', 'SuspendedEV', 'Finishing', 'Unavailable'],
	'2.0.1': ['Available', 'Occupied', 'Reserved', 'Unavailable'],
};

interface StoriesOptions {
	readonly random: Random;
	/** Those that the trigger will have. */
	readonly settings: readonly StationSettings[];
	readonly assets: readonly string[];
	readonly lengthMs: number;
	readonly epoch: number;
	readonly latestMs: number;
	/** The share of stories about something else than what the trigger watches first. */
	readonly otherShare: number;
	/** Something often changes soon after these times. */
	readonly near: readonly number[];
}

export function storiesOf(options: StoriesOptions): ListedMessage[] {
	const { random, settings, assets, lengthMs, epoch, latestMs, near } = options;
	const lagMs = random.pick('lag', [500, 500, 10 * SECOND_MS, 45 * SECOND_MS] as const);
	const lateShare = random.chance('lag', 0.4) ? random.pick('lag', [0.05, 0.15] as const) : 0;
	const isSlow = random.chance('long lag', 0.15);
	return assets.flatMap((asset) => {
		const label = `story ${asset}`;
		const version: Version = random.chance(label, 0.6) ? '1.6' : '2.0.1';
		const speaker = new Speaker(random, label, epoch);
		const story = { random, label, asset, version, speaker, settings, lengthMs, lagMs, isSlow };
		const told = { ...story, lateShare, latestMs, near };
		const isOther = random.chance(label, options.otherShare);
		const kind = isOther
			? random.pick(label, ['stationOffline', 'connectorStatus', 'sessionEnded'] as const)
			: settings[random.whole(label, 0, settings.length - 1)]?.kind;
		if (kind === 'stationOffline') return connections(told);
		return kind === 'sessionEnded' ? sessions(told) : statuses(told, kind === 'connectorFault');
	});
}

/** How long something lasts, or is over. */
function lengthOf({ random, label, settings, isSlow }: Story): number {
	const { forMinutes, resolveAfterMinutes, withinMinutes } =
		settings[random.whole(label, 0, settings.length - 1)] ?? settings[0] ?? NO_TIMES;
	if (isSlow && random.chance(`slow ${label}`, 0.6)) {
		// It ends in time, and the list says so too late for a poll that does not wait.
		const minutes = random.pick(`slow ${label}`, [forMinutes, forMinutes, resolveAfterMinutes]);
		if (minutes > 0) return minutes * MINUTE_MS - random.whole(`slow ${label}`, 1, 40) * SECOND_MS;
	}
	const around = (minutes: number) =>
		Math.max(5 * SECOND_MS, minutes * MINUTE_MS + random.whole(label, -60, 60) * SECOND_MS);
	return random.pick(label, [
		around(forMinutes),
		around(resolveAfterMinutes),
		around(withinMinutes / 3),
		random.spread(label, 5 * SECOND_MS, 5 * MINUTE_MS),
		random.spread(label, MINUTE_MS, 40 * MINUTE_MS),
		random.spread(label, 5 * MINUTE_MS, 40 * MINUTE_MS),
	] as const);
}

const NO_TIMES = { forMinutes: 5, resolveAfterMinutes: 5, withinMinutes: 15 };

function connections(story: Story): ListedMessage[] {
	const { random, label, asset, version, speaker } = story;
	const messages: Message[] = [];
	let isConnected = true;
	for (const at of momentsOf(story)) {
		isConnected = !isConnected;
		messages.push(speaker.connection(at, asset, isConnected, version));
		// The same again.
		if (random.chance(label, 0.1))
			messages.push(speaker.connection(at + 3 * SECOND_MS, asset, isConnected, version));
	}
	const say = (at: number, isOn: boolean) => speaker.connection(at, asset, !isOn, version);
	return [...listed(story, messages), ...takenBack(story, messages, say)];
}

function statuses(story: Story, isFaulty: boolean): ListedMessage[] {
	const { random, label, asset, version, speaker, settings } = story;
	const known = STATUSES[version];
	const connectors = random.whole(label, 1, 2);
	return Array.from({ length: connectors }, (_unused, n) => n + 1).flatMap((connector) => {
		const messages: Message[] = [];
		let last = '';
		for (const at of momentsOf(story)) {
			const others = known.filter((each) => each !== last);
			const isFault = isFaulty && last !== 'Faulted' && random.chance(label, 0.7);
			const status = isFault
				? 'Faulted'
				: (others[random.whole(label, 0, others.length - 1)] ?? '');
			last = status;
			const message = speaker.status(at, asset, { connector, status, version });
			messages.push(message);
			// A station repeats what got no response.
			if (random.chance(label, 0.1)) messages.push({ ...message, at: at + 3 * SECOND_MS });
		}
		const { statuses: watched = [] } = settings.at(-1) ?? {};
		const status = isFaulty ? 'Faulted' : (watched.find((each) => known.includes(each)) ?? '');
		const say = (at: number, isOn: boolean) =>
			speaker.status(at, asset, { connector, version, status: isOn ? status : 'Available' });
		return [...listed(story, messages), ...(status === '' ? [] : takenBack(story, messages, say))];
	});
}

function sessions(story: Story): ListedMessage[] {
	const { random, label, asset, version, speaker } = story;
	const connector = random.whole(label, 1, 2);
	const moments = momentsOf(story).map((at) => at + MINUTE_MS);
	const messages: Message[] = [];
	for (let n = 0; n + 1 < moments.length; n += 2) {
		const [from = 0, to = 0] = [moments[n], moments[n + 1]];
		if (to - from < 20 * SECOND_MS) continue;
		messages.push(...speaker.session([from, to], asset, { connector, version, number: n + 1 }));
	}
	return listed(story, messages);
}

/** When something changes: at least some seconds after the last time, in whole seconds. */
function momentsOf(story: Story): number[] {
	const { random, label, lengthMs, near } = story;
	const soon = near
		.filter(() => random.chance(label, 0.6))
		.map((each) => each + random.whole(label, 0, 40) * SECOND_MS);
	const moments: number[] = [];
	let at = random.chance(label, 0.3)
		? random.whole(label, EARLIEST_MS, -MINUTE_MS)
		: random.whole(label, 0, lengthMs / 3);
	while (at < lengthMs) {
		moments.push(Math.round(at / SECOND_MS) * SECOND_MS);
		const next = at + 7 * SECOND_MS + lengthOf(story);
		at = soon.find((each) => each > at + 7 * SECOND_MS && each < next) ?? next;
	}
	return moments;
}

/** Something lasts, ends and is reported; then two late events say that it was over for a while in between. */
function takenBack(
	story: Story,
	messages: readonly Message[],
	say: (at: number, isOn: boolean) => Message,
): ListedMessage[] {
	const { random, label, settings, lateShare, latestMs, lagMs } = story;
	const { forMinutes, resolveAfterMinutes } = settings.at(-1) ?? NO_TIMES;
	const last = messages.at(-1)?.at;
	if (lateShare === 0 || last === undefined || !random.chance(label, 0.6)) return [];
	const longer = (minutes: number) =>
		minutes * MINUTE_MS + random.whole(label, 20, 240) * SECOND_MS;
	const over = last + longer(0);
	const from = over + longer(resolveAfterMinutes);
	const gap = from + longer(forMinutes);
	const again = gap + longer(resolveAfterMinutes);
	const end = again + longer(forMinutes);
	const listedAt = end + longer(resolveAfterMinutes) + random.whole(label, 1, 10) * MINUTE_MS;
	if (listedAt - gap > latestMs) return [];
	const inTime = [say(over, false), say(from, true), say(end, false)];
	const late = [say(gap, false), say(again, true)];
	return [
		...inTime.map((each) => ({ ...each, listedAfterMs: random.spread(label, 1, lagMs) })),
		...late.map((each) => ({ ...each, listedAfterMs: listedAt - each.at })),
	];
}

/** When the list has them. Sometimes two that follow each other come late, and take back what had been known. */
function listed(story: Story, messages: readonly Message[]): ListedMessage[] {
	const { random, label, lagMs, isSlow, lateShare, latestMs } = story;
	const isTakenBack = lateShare > 0 && messages.length > 4 && random.chance(label, 0.5);
	const pair = isTakenBack ? random.whole(label, 1, messages.length - 3) : -1;
	const after = messages[pair + 2];
	let late = isTakenBack ? 2 : 0;
	return messages.map((message, n) => {
		if (after !== undefined && (n === pair || n === pair + 1)) {
			const until = after.at + random.spread(label, SECOND_MS, 15 * MINUTE_MS);
			return { ...message, listedAfterMs: Math.min(latestMs, until - message.at) };
		}
		const isLate = late < MOST_LATE && random.chance(label, lateShare);
		if (isLate) late += 1;
		const mostMs = random.chance(label, 0.1) ? 3 * latestMs : latestMs;
		const listedAfterMs = isLate
			? random.spread(label, MINUTE_MS, mostMs)
			: random.spread(label, 1, lagMs);
		const isShort = isSlow && !isLate;
		return {
			...message,
			listedAfterMs: isShort ? random.whole(`slow ${label}`, 10, 45) * SECOND_MS : listedAfterMs,
		};
	});
}
