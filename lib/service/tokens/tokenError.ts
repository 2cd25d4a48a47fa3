/** Determines from the token route's response which field of the credential is wrong. */
import { own } from '../../shared/values';
import { ApiError, IN_CREDENTIAL } from '../common/errors';
import type { ApiSettings, TransportResponse } from '../common/types';
import {
	statusError,
	notTheServiceError,
	redirectError,
	type Destination,
} from '../errors/responseErrors';
import { quotable, statusAndReason } from '../errors/serverText';
import { jsonOf } from '../http/json';

/** The error for a response of the token route other than a 2xx. */
export function tokenError(
	response: TransportResponse,
	settings: ApiSettings,
	destination: Destination,
): ApiError {
	const { status } = response;
	const says = statusAndReason(response, destination.redactor);
	if (status < 400) return redirectError(response, destination);
	switch (culprit(response, says)) {
		case 'client':
			return new ApiError(
				`The token server at ${destination.address} rejected 'Client ID' or 'Client Secret' (${says})`,
				{ field: 'clientSecret', status, hint: clientHint(settings) },
			);
		case 'audience':
			return new ApiError(
				`The token server at ${destination.address} does not give this API client a token for 'Audience' ${quotable(settings.audience, destination.redactor)} (${says})`,
				{
					field: 'audience',
					status,
					hint: `Check 'Audience'${IN_CREDENTIAL}: it must match the API audience in the documentation of the service exactly, and the API client must be allowed to use it.`,
				},
			);
		case 'address':
			return notTheServiceError(response, destination);
		default:
			return statusError(response, destination);
	}
}

type Culprit = 'client' | 'audience' | 'address' | 'other';

function culprit(response: TransportResponse, says: string): Culprit {
	const { status } = response;
	const body = jsonOf(response);
	// As defined by OAuth (RFC 6749, 5.2).
	const code = own(body, 'error');
	if (status === 404 || status === 405 || status === 410) return 'address';
	if (status !== 400 && status !== 401 && status !== 403) return 'other';
	if (code === 'invalid_client' || code === 'unauthorized_client') return 'client';
	if (code === 'invalid_target' || /audience|resource server|service not found/i.test(says)) {
		return 'audience';
	}
	if (status === 401 || /client[ _-]?(?:id|secret|credentials)|invalid[ _]client/i.test(says)) {
		return 'client';
	}
	// A page from something in between, such as a firewall.
	if (body === undefined && response.body.trim() !== '') return 'address';
	// The client is known, but is not allowed to have a token for this audience (RFC 6749 and Auth0's "access_denied").
	if (status === 403 || code === 'access_denied') return 'audience';
	return 'other';
}

function clientHint(settings: ApiSettings): string {
	const stray = settings.clientSecret !== settings.clientSecret.trim();
	const first = stray ? "'Client Secret' starts or ends with white space. " : '';
	return `${first}Enter 'Client ID' and 'Client Secret' of the API client again${IN_CREDENTIAL}. If they are right, check that the API client still exists and that 'Auth URL' belongs to the same service.`;
}
