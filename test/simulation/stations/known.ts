/** What the simulation knows of the station trigger's records: how far it knows the list, and which publication has written. */
import { isRecord } from '../../../lib/shared/values';
import { recordIn } from '../../support/records';

/** Undefined for another record, and while nothing is known. In Unix milliseconds by the service's clock. */
export function knownUpTo(key: string, text: string): number | undefined {
	if (!key.startsWith('station:') || !key.endsWith(':head')) return undefined;
	const head: unknown = recordIn(text);
	if (!isRecord(head)) return undefined;
	const { position, watermark } = head;
	const upTo = isRecord(position) ? position['knownUpTo'] : watermark;
	return typeof upTo === 'number' && upTo > 0 ? upTo : undefined;
}

/** Of the publication that has written the record; undefined for another record. */
export function generationOf(key: string, text: string): number | undefined {
	if (!key.startsWith('station:')) return undefined;
	const [, digits] = /"generation":(\d+)/.exec(text) ?? [];
	return digits === undefined ? undefined : Number(digits);
}
