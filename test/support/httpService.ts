/** A small HTTP server for one test on 127.0.0.1, which records its requests and counts its connections. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
	readonly method: string;
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	readonly headers: IncomingMessage['headers'];
	readonly body: string;
}

/** The response; a body other than text is sent as JSON. Undefined leaves the response to the handler. */
export interface Answer {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: unknown;
}

export type Handler = (
	request: SeenRequest,
	raw: { request: IncomingMessage; response: ServerResponse },
) => Answer | undefined | Promise<Answer | undefined>;

export interface HttpService {
	readonly url: string;
	readonly port: number;
	readonly requests: readonly SeenRequest[];
	/** The requests to one path, in order. */
	to(path: string): readonly SeenRequest[];
	/** TCP connections opened so far. */
	connections(): number;
	/** Aborts pending requests and stops listening. */
	stop(): Promise<void>;
}

/** Starts a server; stop it when the test is over. */
export async function startHttpService(handler: Handler): Promise<HttpService> {
	const requests: SeenRequest[] = [];
	let connections = 0;
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
		const seen: SeenRequest = {
			method: request.method ?? '',
			path: pathname,
			query: Object.fromEntries(searchParams),
			headers: request.headers,
			body: Buffer.concat(chunks).toString('utf8'),
		};
		requests.push(seen);
		const answer = await handler(seen, { request, response });
		if (answer === undefined) return;
		const { status = 200, headers = {}, body = '' } = answer;
		const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
		response.writeHead(status, { 'content-type': 'application/json', ...headers });
		response.end(text);
	};
	const server = createServer((request, response) => {
		handle(request, response).catch((error: unknown) => {
			// A handler that throws is a mistake in the test: the client sees a broken connection.
			response.destroy(error instanceof Error ? error : undefined);
		});
	});
	// A slow machine must not make a client open another connection, which tests count.
	server.keepAliveTimeout = 600_000;
	server.on('connection', () => connections++);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	// If a failed test leaves it open, it must not keep Jest from ending.
	server.unref();
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		port,
		requests,
		to: (path) => requests.filter((request) => request.path === path),
		connections: () => connections,
		stop: async () => {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}
