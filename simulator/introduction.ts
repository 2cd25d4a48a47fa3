/** Help printed for a running simulator: the values to enter, and commands to try. */
import { CONTROL_PREFIX } from './http/request';
import type { Endpoint, Simulator } from './shared/types';

type Service = Pick<Simulator, 'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret'>;

export function introduction(simulator: Service, endpoint: Endpoint): string[] {
	const control = `${simulator.baseUrl}${CONTROL_PREFIX}`;
	return [
		...valuesToEnter(simulator, endpoint),
		'',
		`Take a station offline:  curl -X POST ${control}/stations/offline`,
		`Let a connector fault:   curl -X POST ${control}/stations/fault`,
		`End a session:           curl -X POST ${control}/stations/session`,
		`Send an event:           curl -X POST ${control}/events`,
		`Move the endpoint:       curl -X PUT -H 'Content-Type: application/json' -d '{"url":"<webhook URL>"}' ${control}/endpoints/${endpoint.id}`,
	];
}

/** Lines of labels, padded to the longest, and values. */
export function valuesToEnter(simulator: Service, endpoint: Endpoint): string[] {
	return [
		`  Base URL        ${simulator.baseUrl}`,
		`  Auth URL        ${simulator.authUrl}`,
		`  Audience        ${simulator.audience}`,
		`  Client ID       ${simulator.clientId}`,
		`  Client secret   ${simulator.clientSecret}`,
		`  Endpoint ID     ${endpoint.id}`,
		`  Endpoint URL    ${endpoint.url}`,
		`  Signing secret  ${endpoint.secret}`,
	];
}
