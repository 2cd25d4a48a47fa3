/** The first node of a workflow as an HTTP service: counts the executions of each event, and those at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpService } from './httpService';

export interface Work {
	/** Called with `?event=<id>` by each execution; responds with the event's `id`. */
	readonly url: string;
	/** Number of executions that have begun, by event. */
	readonly begun: ReadonlyMap<string, number>;
	/** The times at which executions have begun, as unix time in milliseconds, by event. */
	readonly begunAt: ReadonlyMap<string, readonly number[]>;
	/** Number of executions that ended well, by event. */
	readonly succeeded: ReadonlyMap<string, number>;
	/** The most executions of one event that have run at the same time. A caller that dies no longer counts. */
	readonly together: number;
	/** Number of executions that run now. */
	readonly underWay: number;
	stop(): Promise<void>;
}

interface WorkOptions {
	/** How long each execution takes, in milliseconds; 0 by default. */
	readonly lastsMs?: number;
	/** Whether this execution fails, from 1 for the event's first; none by default. */
	readonly fails?: (id: string, execution: number) => boolean;
}

/** Starts the service on 127.0.0.1; stop it when the test is over. */
export async function startWork({
	lastsMs = 0,
	fails = () => false,
}: WorkOptions = {}): Promise<Work> {
	const begunAt = new Map<string, number[]>();
	const begun = new Map<string, number>();
	const succeeded = new Map<string, number>();
	const running = new Map<string, number>();
	const add = (counts: Map<string, number>, id: string, more: number): number => {
		const count = (counts.get(id) ?? 0) + more;
		counts.set(id, count);
		return count;
	};
	let together = 0;
	const service = await startHttpService(async ({ query }, { response }) => {
		const id = query['event'] ?? '';
		const execution = add(begun, id, 1);
		begunAt.set(id, [...(begunAt.get(id) ?? []), Date.now()]);
		together = Math.max(together, add(running, id, 1));
		// Also when the caller dies.
		response.once('close', () => add(running, id, -1));
		if (lastsMs > 0) await sleep(lastsMs);
		if (response.closed) return undefined;
		if (fails(id, execution)) return { status: 500 };
		add(succeeded, id, 1);
		return { body: { id } };
	});
	return {
		url: service.url,
		begun,
		begunAt,
		succeeded,
		get together() {
			return together;
		},
		get underWay() {
			return [...running.values()].reduce((sum, count) => sum + count, 0);
		},
		stop: () => service.stop(),
	};
}
