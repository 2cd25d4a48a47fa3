/** Builds the request of a call. */
import { USER_AGENT } from '../common/defaults';
import type { ApiSettings, ApiCall, TransportRequest } from '../common/types';
import { urlOf } from './paths';

export function requestOf(
	{ method, path, query = {}, headers, body }: ApiCall,
	{ baseUrl, allowUnauthorizedCerts }: ApiSettings,
	signal: AbortSignal | undefined,
): TransportRequest {
	const hasBody = body !== undefined;
	return {
		method,
		url: urlOf(baseUrl, path, query),
		headers: {
			accept: 'application/json',
			'user-agent': USER_AGENT,
			...headers,
			...(hasBody && { 'content-type': 'application/json' }),
		},
		...(hasBody && { body: JSON.stringify(body) }),
		...(signal && { signal }),
		...(allowUnauthorizedCerts && { allowUnauthorizedCerts }),
	};
}
