/** The shortest history that still breaks the same law, by leaving out sessions, messages and what befell them. */
import { type History, type Part, type Session, textOf } from './history';
import type { Plan } from './plan';
import { judged, type Law, type Wrong } from './play';

const MOST_RUNS = 400;

interface Found {
	readonly law: Law;
	readonly what: string;
	readonly plan: Plan;
}

/** The law, and the sentence without what it is about. */
export const kindOf = ([law, what]: Wrong): string =>
	`${law}: ${(what.split(/ of s|[:{]/)[0] ?? '').replace(/ [\d:]+/g, '')}`;

export async function shortest(plan: Plan, wrong: Wrong): Promise<Found> {
	const kind = kindOf(wrong);
	let runs = 0;
	let best: Found = { law: wrong[0], what: wrong[1], plan };
	for (let isShorter = true; isShorter;) {
		isShorter = false;
		for (let n = 0; ; n++) {
			const next = smaller(best.plan.history)[n];
			if (next === undefined || runs++ > MOST_RUNS) break;
			const tried = { ...plan, history: next };
			const { wrong: found } = await judged(tried, [best.law]);
			const same = found.find((one) => kindOf(one) === kind);
			if (same === undefined) continue;
			best = { law: same[0], what: same[1], plan: tried };
			isShorter = true;
			n -= 1;
		}
	}
	return best;
}

export const foundText = ({ law, what, plan: { seed, loss, trouble, history } }: Found): string =>
	[
		`${law}: ${what}`,
		`  OCPP ${history.version}, seed ${seed}, lost: ${loss}, trouble: ${trouble}; a minus marks what was lost`,
		textOf(history),
	].join('\n');

/** Each with one thing less. */
function smaller(history: History): History[] {
	const { sessions, noise } = history;
	const with_ = (n: number, session: Session): History => ({
		...history,
		sessions: sessions.map((one, m) => (m === n ? session : one)),
	});
	return [
		...(noise.length > 0 ? [{ ...history, noise: [] }] : []),
		...sessions.map((_one, n) => ({ ...history, sessions: sessions.filter((_, m) => m !== n) })),
		...noise.map((_one, n) => ({ ...history, noise: noise.filter((_, m) => m !== n) })),
		...sessions.flatMap((session, n) =>
			session.parts
				.filter(({ kind }) => kind === 'reading')
				.map((part) =>
					with_(n, { ...session, parts: session.parts.filter((one) => one !== part) }),
				),
		),
		// A station without a connection sends all of it later.
		...sessions.flatMap((session, n) => {
			const parts = session.parts.map(({ waitsMs: _waitsMs, ...part }) => part);
			return session.parts.some(({ waitsMs = 0 }) => waitsMs > 0)
				? [with_(n, { ...session, parts })]
				: [];
		}),
		...sessions.flatMap((session, n) =>
			session.parts.flatMap((part, m) =>
				calmer(part).map((calm) => with_(n, { ...session, parts: session.parts.with(m, calm) })),
			),
		),
		...sessions.flatMap((session, n) =>
			session.clockMs.some((ms) => ms !== 0) ? [with_(n, { ...session, clockMs: [0, 0] })] : [],
		),
	];
}

function calmer({ isLost, waitsMs, lateMs, againMs, againId, ...part }: Part): Part[] {
	const all = { isLost, waitsMs, lateMs, againMs, againId };
	const set = Object.entries(all).filter(([, value]) => value !== undefined);
	const left = set.filter(([name]) => name !== 'waitsMs');
	return left.map(([name]) => {
		const left = set.filter(
			([other]) => other !== name && (name !== 'againMs' || other !== 'againId'),
		);
		return { ...part, ...Object.fromEntries(left) };
	});
}
