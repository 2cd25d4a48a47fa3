/** What an item of the station trigger says, for the history. */
import { isRecord, textOf } from '../../../lib/shared/values';
import type { Kind, Told } from '../../history/history';

/** Texts and times that are absent or null are left out. */
export function toldBy(json: Readonly<Record<string, unknown>>): Told {
	const text = (name: string) => textOf(json[name]);
	const time = (name: string) => {
		const value = text(name);
		return value === undefined ? undefined : Date.parse(value);
	};
	const { station, energyKwh, state } = json;
	const code = [text('errorCode'), text('vendorErrorCode')].filter((part) => part !== undefined);
	const all = {
		id: text('id') ?? '',
		kind: text('kind') as Kind,
		asset: isRecord(station) ? (textOf(station['id']) ?? '') : '',
		connector: text('connector'),
		incident: text('incident'),
		state: state === 'opened' || state === 'resolved' ? state : undefined,
		...{ since: time('since'), until: time('until'), endedBy: text('endedBy') },
		status: text('status'),
		code: code.length > 0 ? code.join('/') : undefined,
		transaction: text('transactionId'),
		energyKwh: typeof energyKwh === 'number' ? energyKwh : undefined,
	};
	return Object.fromEntries(
		Object.entries(all).filter(([, value]) => value !== undefined),
	) as unknown as Told;
}
