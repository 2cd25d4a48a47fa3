/**
 * Measures from outside how long an event is stored in n8n and not yet committed in the ledger: the time in which the
 * death of the process makes it run twice. PostgreSQL tells when the execution was committed, and Redis when the ledger's
 * entry was, by the end of its retention.
 */
import { ledgerKey } from '../../../lib/ledger';
import { Redis } from '../../../lib/vendor/ioredis';
import type { PostgresServer } from '../postgres';
import type { RedisServer } from '../redis';
import type { Runs } from './runs';

/** To be given to `startPostgres`. */
export const COMMIT_TIMES = { settings: { track_commit_timestamp: 'on' } };

const KEY_PREFIX = 'asset-service:ledger:';
/** The trigger's default. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

/** From now on the database notes each execution in a row of its own, which no later update of the execution touches. */
export async function watchStoring(postgres: PostgresServer): Promise<void> {
	await postgres.query(`
		CREATE TABLE stored_execution (id integer PRIMARY KEY);
		CREATE FUNCTION note_stored() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN INSERT INTO stored_execution VALUES (NEW.id); RETURN NULL; END';
		CREATE TRIGGER note_stored AFTER INSERT ON execution_entity
			FOR EACH ROW EXECUTE FUNCTION note_stored();`);
}

/** When each execution was stored, by its id, in milliseconds of unix time. */
export async function storingTimes(postgres: PostgresServer): Promise<Map<string, number>> {
	const rows = await postgres.query(
		'SELECT id, extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000 FROM stored_execution',
	);
	return new Map(rows.map(([id = '', ms]) => [id, Number(ms)]));
}

export interface WindowOptions {
	readonly postgres: PostgresServer;
	readonly redis: RedisServer;
	readonly workflowId: string;
	readonly runs: Runs;
}

/** The windows of the events that were stored once, in milliseconds, shortest first; to the millisecond, as Redis tells it. */
export async function measureWindows(options: WindowOptions): Promise<number[]> {
	const { postgres, redis, workflowId, runs } = options;
	const stored = await storingTimes(postgres);
	const client = new Redis(redis.url);
	try {
		const windows: number[] = [];
		for (const { executionId, eventId } of runs.all) {
			if (runs.of(eventId).length > 1) continue;
			const key = KEY_PREFIX + ledgerKey(workflowId, eventId);
			const expiry = Number(await client.call('PEXPIRETIME', key));
			const storedAt = stored.get(executionId);
			if (expiry < 0 || storedAt === undefined) {
				throw new Error(`Execution ${executionId} is not in the ledger, or was not noted.`);
			}
			windows.push(expiry - RETENTION_MS - storedAt);
		}
		return windows.sort((a, b) => a - b);
	} finally {
		client.disconnect();
	}
}

/** The figures that people ask for. */
export function summary(windows: readonly number[]): string {
	const at = (share: number): string =>
		(windows[Math.ceil(windows.length * share) - 1] ?? Number.NaN).toFixed(0);
	return `median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, longest ${at(1)} ms (${windows.length} events)`;
}
