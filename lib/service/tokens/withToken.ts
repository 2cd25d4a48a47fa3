/** Adds the bearer token to a sender (specification section 5). */
import type { ApiSettings, Transport } from '../common/types';
import type { Redactor } from '../errors/redaction';
import { isTokenRejected } from '../errors/withErrors';
import type { AccessTokens } from './accessTokens';

interface TokenOptions {
	settings: ApiSettings;
	tokens: AccessTokens;
	/** Sends the token requests. */
	transport: Transport;
	/** Gets each token, so that no error shows it. */
	redactor: Redactor;
}

/** A response that rejects the token drops it, and the request is sent once more with a new one, if there may be one. */
export function withToken(
	send: Transport,
	{ settings, tokens, transport, redactor }: TokenOptions,
): Transport {
	return async (request) => {
		const sendOnce = async () => {
			const { accessToken } = await tokens.get(settings, transport, request.signal);
			redactor.add(accessToken);
			const headers = { ...request.headers, authorization: `Bearer ${accessToken}` };
			const response = await send({ ...request, headers });
			const mayRenew = isTokenRejected(response) && tokens.drop(settings, accessToken);
			return { response, mayRenew };
		};
		const { response, mayRenew } = await sendOnce();
		return mayRenew ? (await sendOnce()).response : response;
	};
}
