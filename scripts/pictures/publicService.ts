/** Puts the simulated service behind the public URLs in the pictures, which n8n reaches through its own proxy. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { Simulator } from '../../simulator';
import { run } from '../../test/support/n8n/npm';

/** As a user enters them. The names are reserved (RFC 2606). */
export const PUBLIC = {
	baseUrl: 'https://api.example.com',
	authUrl: 'https://auth.example.com',
	audience: 'https://api.example.com',
	/** URL at which the service reaches n8n. */
	n8n: 'https://n8n.example.com/',
} as const;

interface PublicService {
	/** Environment variables that n8n needs to reach the service. */
	readonly env: Readonly<Record<string, string>>;
	stop(): void;
}

/** A proxy on 127.0.0.1 that sends every https request to the simulator; certificates are created in `folder`. */
export async function publish(simulator: Simulator, folder: string): Promise<PublicService> {
	const { certFile, ...certificate } = await makeCertificate(folder);
	const simulatorPort = Number(new URL(simulator.baseUrl).port);
	const proxy = createServer().on('connect', (_request, client) => {
		if (!(client instanceof Socket)) throw new Error('A proxy request came over no socket.');
		client.write('HTTP/1.1 200 Connection established\r\n\r\n');
		const secure = new TLSSocket(client, { isServer: true, ...certificate });
		const service = connect(simulatorPort, '127.0.0.1');
		// Either side can close the connection at any time.
		pipeline(secure, service, secure, () => undefined);
	});
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	proxy.unref();
	return {
		env: {
			HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
			NODE_EXTRA_CA_CERTS: certFile,
			WEBHOOK_URL: PUBLIC.n8n,
		},
		stop() {
			proxy.close();
			proxy.closeAllConnections();
		},
	};
}

async function makeCertificate(
	folder: string,
): Promise<{ readonly cert: Buffer; readonly key: Buffer; readonly certFile: string }> {
	const certFile = join(folder, 'pictures.crt');
	const keyFile = join(folder, 'pictures.key');
	const subject = ['-subj', '/CN=pictures', '-addext', 'subjectAltName=DNS:*.example.com'];
	const kind = [
		'-newkey',
		'ec',
		'-pkeyopt',
		'ec_paramgen_curve:prime256v1',
		'-nodes',
		'-days',
		'2',
	];
	const files = ['-keyout', keyFile, '-out', certFile];
	await run('openssl', ['req', '-x509', ...kind, ...subject, ...files], { cwd: folder });
	return { cert: readFileSync(certFile), key: readFileSync(keyFile), certFile };
}
