/** How far the station trigger has written that it knows the list: the only thing that the simulation knows of its records. */
import { isRecord } from '../../../lib/shared/values';

/** Undefined for another record, and while nothing is known. In Unix milliseconds by the service's clock. */
export function knownUpTo(key: string, text: string): number | undefined {
	if (!key.startsWith('station:') || !key.endsWith(':head')) return undefined;
	const head: unknown = JSON.parse(text);
	if (!isRecord(head)) return undefined;
	const { position, watermark } = head;
	const upTo = isRecord(position) ? position['knownUpTo'] : watermark;
	return typeof upTo === 'number' && upTo > 0 ? upTo : undefined;
}
