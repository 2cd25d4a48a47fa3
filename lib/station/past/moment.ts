/** The moment at which a question about the past is decided. */
import type { Owner } from '../common/incident';
import type { StationSettings } from '../common/settings';
import type { Moment } from '../decide/moment';

/** Everything that began is reported, of every station. */
export function pastMoment(owner: Owner, settings: StationSettings, watermark: number): Moment {
	return {
		...{ workflowId: owner.workflowId, nodeId: owner.nodeId, settings, watermark },
		...{ generation: 0, publishedAt: -Infinity, horizon: Infinity, listing: undefined },
	};
}
