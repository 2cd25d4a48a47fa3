/** Joins the stops of OCPP 1.6 to their starts, by what the messages say: their order of arrival changes nothing. */
import type { Sessions, SessionStart, SessionStop } from '../common/state';

export type FoundBy = 'response' | 'meter values' | 'order' | 'not found';

interface Joined {
	readonly start: SessionStart | undefined;
	readonly connector: string | undefined;
	readonly foundBy: FoundBy;
}

/** A start, and which transaction it began, as far as that is known. */
interface Candidate {
	readonly start: SessionStart;
	/** When the next session of the connector began. */
	readonly until: number;
	tx?: string;
	foundBy: FoundBy;
}

/** A station that got no response to its start uses -1 (errata of OCPP 1.6, 3.18), or 0. */
const isNamed = (tx: string): boolean => tx !== '-1' && tx !== '0';

/** By the messages that were created up to `known`, in Unix milliseconds. */
export function join(sessions: Sessions, stop: SessionStop, known: number): Joined {
	const metered = sessions.metered.filter(({ tx, t }) => t <= known && isNamed(tx));
	const connector = metered.find(({ tx }) => tx === stop.tx)?.connector;
	const candidates = candidatesOf(sessions, known);
	for (const { tx, connector: of, at } of metered) {
		if (candidates.some((one) => one.tx === tx)) continue;
		const begun = candidates.find(
			({ start, until, tx: other }) =>
				other === undefined && start.connector === of && start.at <= at && at < until,
		);
		if (begun !== undefined) Object.assign(begun, { tx, foundBy: 'meter values' });
	}
	const earlier = candidates.filter(
		({ start }) => start.at <= stop.at && (start.wh ?? -Infinity) <= (stop.wh ?? Infinity),
	);
	const named = isNamed(stop.tx) ? earlier.findLast(({ tx }) => tx === stop.tx) : undefined;
	if (named !== undefined) return { start: named.start, connector, foundBy: named.foundBy };
	const open = earlier.filter(
		({ start, tx, until }) =>
			tx === undefined &&
			(start.used ?? Infinity) > known &&
			until >= stop.at &&
			(connector === undefined || start.connector === connector),
	);
	// If two starts fit, it is unknown which one is right: an empty field is better than a wrong one.
	const [fitting] = open.length === 1 ? open : [];
	// It was reported with another stop before this one was listed.
	const only = fitting?.start.used === undefined ? fitting : undefined;
	return { start: only?.start, connector, foundBy: only === undefined ? 'not found' : 'order' };
}

function candidatesOf({ starts, named }: Sessions, known: number): Candidate[] {
	const sorted = starts.filter(({ t }) => t <= known).sort((a, b) => a.at - b.at);
	const responses = named.filter(({ t, tx }) => t <= known && isNamed(tx));
	return sorted.map((start) => {
		const tx = responses.find(({ message }) => start.messages.includes(message))?.tx;
		const next = sorted.find(({ connector, at }) => connector === start.connector && at > start.at);
		const until = next?.at ?? Infinity;
		return { start, until, ...(tx !== undefined && { tx }), foundBy: 'response' };
	});
}
