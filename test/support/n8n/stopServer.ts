/** Stops n8n as an operator does, and acts while it waits for its running executions. */
import { waitFor } from '../wait';
import type { N8nServer } from './server';

/** Calls `whileStopping` once n8n has begun to stop; resolves when it has ended. */
export async function stopServer(server: N8nServer, whileStopping: () => void): Promise<void> {
	const shutdowns = (): number => server.logs().split('Shutting down').length;
	const before = shutdowns();
	const stopped = server.stop();
	await waitFor(() => shutdowns() > before, { what: 'n8n to begin its end', everyMs: 10 });
	whileStopping();
	await stopped;
}
