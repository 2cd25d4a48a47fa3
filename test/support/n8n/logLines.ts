/** Reads n8n's log, which must be in JSON (`N8N_LOG_FORMAT`), to tell the level of a line. */
import { z } from 'zod/v4';
import type { N8nServer } from './server';

const Line = z.object({ level: z.string(), message: z.string() });

/** The messages of all warnings so far, in order. */
export function warningsOf(server: Pick<N8nServer, 'logs'>): string[] {
	return server
		.logs()
		.split('\n')
		.flatMap((text) => {
			const line = lineIn(text);
			return line?.level === 'warn' ? [line.message] : [];
		});
}

function lineIn(text: string): z.infer<typeof Line> | undefined {
	try {
		return Line.safeParse(JSON.parse(text)).data;
	} catch {
		// Output that does not come from the logger.
		return undefined;
	}
}
