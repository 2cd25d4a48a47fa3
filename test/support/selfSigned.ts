/** A small HTTPS server for one test on 127.0.0.1, with a self-signed certificate. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** For 127.0.0.1 and localhost, until 2120. It protects nothing. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBVjCB/KADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3gi6tcsKsG+uJent
CsyYq8TkRxk1l0LUWAFP1HG8mE0tckC63H2hQ3SQfCbo18w6sKmBU1Hl2RKSEVh8
P4d/GaM9MDswGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MB0GA1UdDgQWBBQS
gvVsBgC6ZUj5J65OxJpWK9fOmjAKBggqhkjOPQQDAgNJADBGAiEAif6kupB6jOjD
k8p5BIW+8kvYdmcI7gwI+IDoXQimBT4CIQDcF8ydsQ3TILrX83re4DFEZwE6QFMj
2O75ko5HKUmo6w==
-----END CERTIFICATE-----`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmm/J0cy2AUgrIvMO
U/H293ioCU5j5feZnXkQ5PEWVdqhRANCAATeCLq1ywqwb64l6e0KzJirxORHGTWX
QtRYAU/UcbyYTS1yQLrcfaFDdJB8JujXzDqwqYFTUeXZEpIRWHw/h38Z
-----END PRIVATE KEY-----`;

export const selfSigned = { cert, key };

export interface SelfSignedService {
	readonly url: string;
	/** Method and path of each request, in order. */
	readonly requests: readonly string[];
	stop(): Promise<void>;
}

/** Starts a server that responds to `/oauth/token` with a token and to all other paths with this body; stop it after the test. */
export async function startSelfSigned(body: unknown): Promise<SelfSignedService> {
	const token = { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600, scope: '' };
	const requests: string[] = [];
	const server = createServer(selfSigned, (request, response) => {
		requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
		request.resume();
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(request.url === '/oauth/token' ? token : body));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	server.unref();
	return {
		url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		stop: async () => {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}
