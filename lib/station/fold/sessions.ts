/** The parts of a station's sessions: sets, and for each transaction of OCPP 2.0.1 the least and greatest of its messages. */
import { LATEST_MS, MOST_REPORTS, UNMATCHED_MS } from '../common/settings';
import type { Sessions, SessionTransaction } from '../common/state';
import type { Fact, Transaction } from '../facts';
import { add, earlier } from './sets';

export const noSessions = (): Sessions => ({
	...{ starts: [], named: [], metered: [], stops: [], transactions: [] },
});

interface When {
	readonly at: number;
	readonly eventId: string;
}

/** Returns whether it changed. */
export function addSessionFact(sessions: Sessions, fact: Fact, when: When): boolean {
	const { at: t, eventId: id } = when;
	switch (fact.about) {
		case 'start': {
			const { connector, meterWh, messageId, stationTime: at = t } = fact;
			const messages = messageId === undefined ? [] : [messageId];
			return add(
				sessions.starts,
				{ t, id, connector, at, wh: meterWh, messages },
				MOST_REPORTS,
				// A start that is sent again, perhaps with another message ID.
				(known) => known.connector === connector && known.at === at && known.wh === meterWh,
				(known, added) => ({
					...earlier(known, added),
					messages: [...new Set([...known.messages, ...added.messages])].sort().slice(0, 8),
					...(known.used !== undefined && { used: known.used }),
				}),
			);
		}
		case 'startResponse': {
			const { messageId: message, transaction: tx } = fact;
			const isSame = (known: { message: string }) => known.message === message;
			return add(sessions.named, { t, message, tx }, MOST_REPORTS, isSame);
		}
		case 'metered': {
			const { transaction: tx, connector, stationTime: at = t } = fact;
			return add(
				sessions.metered,
				{ t, tx, connector, at },
				MOST_REPORTS,
				(known) => known.tx === tx,
				(known, added) =>
					added.at < known.at || (added.at === known.at && added.t < known.t) ? added : known,
			);
		}
		case 'stop': {
			const { transaction: tx, meterWh, reason, stationTime: at = t } = fact;
			return add(
				sessions.stops,
				{ t, id, tx, at, wh: meterWh, reason },
				MOST_REPORTS,
				(known) => known.tx === tx && known.at === at,
				(known, added) => (known.reported ? known : earlier(known, added)),
			);
		}
		case 'transaction':
			return addTransaction(sessions, fact, when);
		default:
			return false;
	}
}

function addTransaction(sessions: Sessions, fact: Transaction, { at: t, eventId }: When): boolean {
	const { transaction: tx, phase, stationTime: at = t, seqNo: n = at, energyWh: wh } = fact;
	const point = { n, at, wh };
	const added: SessionTransaction = {
		tx,
		t,
		...(fact.connector !== undefined && { where: { n, connector: fact.connector } }),
		...(phase === 'started' && { started: point }),
		...(phase === 'ended' && {
			ended: { ...point, t, id: eventId, reason: fact.reason ?? '' },
		}),
		...(wh !== undefined && { first: point, last: point }),
	};
	return add(sessions.transactions, added, MOST_REPORTS, (known) => known.tx === tx, joined);
}

function joined(known: SessionTransaction, added: SessionTransaction): SessionTransaction {
	if (known.reported) return known;
	const fields = {
		where: least(known.where, added.where),
		started: least(known.started, added.started),
		// A later end of the same transaction takes the place of an earlier one.
		ended: greatest(known.ended, added.ended),
		first: least(known.first, added.first),
		last: greatest(known.last, added.last),
	};
	const present = Object.entries(fields).filter(([, value]) => value !== undefined);
	return { tx: known.tx, t: Math.min(known.t, added.t), ...Object.fromEntries(present) };
}

interface Numbered {
	readonly n: number;
}

function least<T extends Numbered>(a: T | undefined, b: T | undefined): T | undefined {
	if (a === undefined || b === undefined) return a ?? b;
	return compare(a, b) <= 0 ? a : b;
}

function greatest<T extends Numbered>(a: T | undefined, b: T | undefined): T | undefined {
	if (a === undefined || b === undefined) return a ?? b;
	return compare(a, b) <= 0 ? b : a;
}

/** Of messages with the same number, one is the least whatever their order. */
function compare<T extends Numbered>(a: T, b: T): number {
	if (a.n !== b.n) return a.n - b.n;
	const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
	return first < second ? -1 : first > second ? 1 : 0;
}

/** Removes what no session to come can need. */
export function compactSessions(sessions: Sessions, watermark: number): void {
	const cut = watermark - LATEST_MS;
	const isOpen = (t: number) => t >= watermark - UNMATCHED_MS;
	const { stops, transactions, starts } = sessions;
	const ended = new Set(stops.filter(({ reported, t }) => reported && t < cut).map(({ tx }) => tx));
	sessions.stops = stops.filter(({ reported, t }) => t >= cut || (!reported && isOpen(t)));
	const byTime = starts.toSorted((a, b) => a.at - b.at);
	sessions.starts = starts.filter(({ used, t, at, connector }) => {
		if (t >= cut || !isOpen(t)) return t >= cut;
		const before = byTime.findLast((other) => other.connector === connector && other.at < at);
		// A start also says that the session before it is over, as long as that one's stop is missing.
		return used === undefined || (before !== undefined && before.used === undefined);
	});
	sessions.transactions = transactions.filter(
		({ reported, t, ended: end }) => (end?.t ?? t) >= cut || (!reported && isOpen(t)),
	);
	const isLeft = ({ t, tx }: { t: number; tx: string }) =>
		t >= cut || (!ended.has(tx) && isOpen(t));
	sessions.named = sessions.named.filter(isLeft);
	sessions.metered = sessions.metered.filter(isLeft);
}
