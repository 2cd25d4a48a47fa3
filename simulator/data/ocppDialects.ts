/** The dialect that a station speaks. */
import type { Asset } from './assets';
import { ocpp16 } from './ocpp16';
import { ocpp201, ocpp201WithEvents } from './ocpp201';
import { type Dialect, protocolOf } from './ocppDialect';

/** About half of the OCPP 2.0.1 stations report the status of their connectors as events. */
export function dialectOf(asset: Asset): Dialect {
	if (protocolOf(asset) === 'ocpp1.6') return ocpp16;
	return asset.id.charCodeAt(asset.id.length - 1) % 2 === 0 ? ocpp201WithEvents : ocpp201;
}
