/** Finds free TCP ports on 127.0.0.1 for servers that are started, stopped and started again on the same port. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range that Linux and macOS use for outgoing connections: a sender that retries the port of a stopped server
 * must not get that port as its own and connect to itself.
 */
const LOWEST = 20_000;
/** Each of Jest's workers has its own range, since the port of a stopped server is free for a moment. */
const PER_WORKER = 3_000;
const WORKERS = 4;
const FIRST = LOWEST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS) * PER_WORKER;
const LAST = FIRST + PER_WORKER - 1;

const handedOut = new Set<number>();

/** A port without a listener that this process has not received before. */
export async function freePort(): Promise<number> {
	for (let attempt = 0; attempt < 100; attempt++) {
		const port = randomInt(FIRST, LAST + 1);
		if (handedOut.has(port) || !(await canListen(port))) continue;
		handedOut.add(port);
		return port;
	}
	throw new Error(`No free port found between ${FIRST} and ${LAST} on 127.0.0.1.`);
}

function canListen(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = createServer();
		probe.once('error', () => {
			resolve(false);
		});
		probe.listen(port, '127.0.0.1', () => {
			probe.close(() => {
				resolve(true);
			});
		});
	});
}
