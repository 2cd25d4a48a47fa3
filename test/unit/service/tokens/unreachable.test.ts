import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ApiError, undiciTransport } from '../../../../lib/service';
import { fetchAccessToken } from '../../../../lib/service/tokens';
import { selfSigned } from '../../../support/selfSigned';
import { fakeRuntime, rejection, startWorld, stopWorlds } from '../world';

afterEach(stopWorlds);

const transport = undiciTransport({ env: {} });

describe('a token request that reaches no server', () => {
	it('blames the proxy that does not respond, not Auth URL', async () => {
		const world = await startWorld();
		const dead = undiciTransport({ env: { HTTP_PROXY: 'http://user:hunter2@127.0.0.1:1' } });
		const error = (await rejection(
			fetchAccessToken(world.settings, dead, { runtime: fakeRuntime() }),
		)) as ApiError;
		expect(error.field).toBeUndefined();
		expect(error.message).toContain('the proxy 127.0.0.1:1 failed');
		expect(error.hint).toContain('HTTP_PROXY');
		expect(error.message + error.hint).not.toMatch(/Auth URL|hunter2/);
	});

	it('names NODE_EXTRA_CA_CERTS for a certificate of an unknown authority', async () => {
		const server = createServer(selfSigned, (_request, response) => response.end());
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		try {
			const world = await startWorld();
			const authUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
			const asked = fetchAccessToken({ ...world.settings, authUrl }, transport);
			const error = (await rejection(asked)) as ApiError;
			expect(error.message).toContain('its TLS certificate is self-signed');
			expect(error.hint).toContain('NODE_EXTRA_CA_CERTS');
			expect(error.hint).toContain('Ignore SSL Issues (Insecure)');
			expect(error.message + error.hint).not.toContain('Auth URL');
		} finally {
			await new Promise((resolve) => server.close(resolve));
		}
	});

	it('names Auth URL if nothing responds there', async () => {
		const world = await startWorld();
		// Not the port of a service that was stopped: somebody else may be given it.
		const settings = { ...world.settings, authUrl: 'http://127.0.0.1:1' };
		const error = await rejection(
			fetchAccessToken(settings, transport, { runtime: fakeRuntime() }),
		);
		expect(error).toMatchObject({
			field: 'authUrl',
			message: `Could not reach ${settings.authUrl}/oauth/token ('Auth URL'): the connection was refused`,
			hint: expect.stringContaining('(ECONNREFUSED)') as string,
		});
	});
});
