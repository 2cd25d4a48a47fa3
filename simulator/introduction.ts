/** Help printed for a running simulator: the values to enter, and commands to try. */
import { CONTROL_PREFIX } from './http/request';
import type { Endpoint, Simulator } from './shared/types';

/** Lines of labels, padded to the longest, and values. */
export function introduction(simulator: Simulator, endpoint: Endpoint): string[] {
	const control = `${simulator.baseUrl}${CONTROL_PREFIX}`;
	return [
		`  Base URL        ${simulator.baseUrl}`,
		`  Auth URL        ${simulator.authUrl}`,
		`  Audience        ${simulator.audience}`,
		`  Client ID       ${simulator.clientId}`,
		`  Client secret   ${simulator.clientSecret}`,
		`  Endpoint ID     ${endpoint.id}`,
		`  Endpoint URL    ${endpoint.url}`,
		`  Signing secret  ${endpoint.secret}`,
		'',
		`Send an event:      curl -X POST ${control}/events`,
		`Move the endpoint:  curl -X PUT -H 'Content-Type: application/json' -d '{"url":"<webhook URL>"}' ${control}/endpoints/${endpoint.id}`,
	];
}
