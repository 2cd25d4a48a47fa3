/** Which facts a trigger watches, and which of them matter only if there is something that they can end. */
import type { StationSettings } from '../common/settings';
import type { Fact } from '../facts';

type About = Fact['about'];

const OF_CONNECTION: ReadonlySet<About> = new Set(['connection', 'sent']);
const OF_BOOTS: ReadonlySet<About> = new Set(['boot', 'bootAsked', 'bootRefused']);
const OF_SESSIONS: ReadonlySet<About> = new Set([
	...(['start', 'startResponse', 'metered', 'stop', 'transaction'] as const),
]);

/** Whether the trigger watches this kind of fact. */
export function isWatched({ about }: Fact, { kind }: StationSettings): boolean {
	if (kind === 'stationOffline') return OF_CONNECTION.has(about);
	if (kind === 'sessionEnded') return OF_SESSIONS.has(about);
	if (about === 'problem') return kind === 'connectorFault';
	return about === 'status' || OF_BOOTS.has(about) || OF_CONNECTION.has(about);
}

/** Whether it only ends something, and is dropped if there is nothing to end. */
export function isQuiet(fact: Fact, { kind }: Pick<StationSettings, 'kind'>): boolean {
	if (fact.about === 'problem') return !fact.isActive;
	if (fact.about === 'sent' || fact.about === 'bootAsked' || fact.about === 'bootRefused')
		return true;
	// Of states, the connection matters only to a boot.
	return fact.about === 'connection' && kind !== 'stationOffline';
}
