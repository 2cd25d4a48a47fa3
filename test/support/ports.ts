/** Finds free TCP ports on 127.0.0.1 for servers that are started, stopped and started again on the same port. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range that Linux and macOS hand out to outgoing connections: while a server is down, a sender that
 * tries its port again must neither be given that port as its own nor end up connected to itself.
 */
const LOWEST = 20_000;
const HIGHEST = 31_999;

const handedOut = new Set<number>();

/** A port that nothing listens on and that this process was not given before. */
export async function freePort(): Promise<number> {
	for (let attempt = 0; attempt < 100; attempt++) {
		const port = randomInt(LOWEST, HIGHEST + 1);
		if (handedOut.has(port) || !(await canListen(port))) continue;
		handedOut.add(port);
		return port;
	}
	throw new Error(`No free port found between ${LOWEST} and ${HIGHEST} on 127.0.0.1.`);
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
