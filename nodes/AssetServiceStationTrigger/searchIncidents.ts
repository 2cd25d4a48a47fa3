/** Loads the list of incidents for a user to select from, for a test in the editor. */
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { asText, own } from '../../lib/shared/values';
import { incidentsToChoose, type Shown } from '../../lib/station';
import { apiClientFor } from '../../n8n/api/apiClient';
import { toNodeError } from '../../n8n/log/nodeError';
import { askingFor } from '../../n8n/polling/station/outputs';
import { NEWEST, readStationSettings } from '../../n8n/polling/station/settings';

const MOST = 100;

/** The incidents of the last 7 days that fit the settings of the node, with `filter` in the text that the list shows. */
export async function searchIncidents(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	try {
		const settings = readStationSettings(
			(name, fallback) => this.getCurrentNodeParameter(name) ?? fallback,
		);
		const asking = askingFor(this, await apiClientFor(this), settings);
		const { all } = await incidentsToChoose(asking);
		const timeZone = this.getTimezone();
		const choices = [
			{ name: 'Newest', value: NEWEST },
			...all.map((shown) => ({ name: lineOf(shown, timeZone), value: shown.id })),
		];
		const wanted = filter.trim().toLowerCase();
		const matching = choices.filter(({ name }) => name.toLowerCase().includes(wanted));
		return { results: matching.slice(0, MOST) };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** Such as `Harbour Street 1, connector 1, GroundFailure, 24 Nov 09:12, 18 min`. */
function lineOf({ at, items, assetId }: Shown, timeZone: string): string {
	const item = items.get('resolved') ?? items.get('opened') ?? items.get(undefined) ?? {};
	const { connector, minutes } = item;
	const time = new Intl.DateTimeFormat('en-GB', {
		...{ timeZone, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
	}).format(at);
	const parts = [
		asText(own(item['station'], 'name')) || assetId,
		connector === null ? '' : `connector ${asText(connector)}`,
		asText(item['errorCode'] ?? item['status'] ?? item['reason']),
		time.replace(',', ''),
		minutes === null ? '' : `${asText(minutes)} min`,
	];
	return parts.filter((part) => part !== '').join(', ');
}
