/** Hears from the executions of a workflow that they have begun, independent of the records of n8n and the ledger. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpService } from './httpService';

type WithId = { readonly id: string };

/** The call of an execution. */
export interface Call {
	/** Unix milliseconds. */
	readonly at: number;
	readonly events: readonly string[];
	/** The execution's ID; empty if the workflow does not say it. */
	readonly execution: string;
	/** Host and port of the process that runs it; empty if the workflow does not say them. */
	readonly host: string;
	/** The event is marked as replayed. */
	readonly isReplayed: boolean;
	/** When it got its response, and whether that lets the execution succeed; undefined if its caller died before. */
	response?: { readonly at: number; readonly isSuccess: boolean };
}

export interface Counter {
	/** Call it with `?event=<id>`, or with the IDs of several events in the body, separated by commas. */
	readonly url: string;
	/** In order. */
	readonly calls: readonly Call[];
	/** Number of calls by event. */
	readonly begun: ReadonlyMap<string, number>;
	/** Calls that wait for a response: their executions have begun but not ended. A caller that dies no longer counts. */
	readonly waiting: number;
	/** Responds to no call until `letGo`, so each execution lasts until then. */
	hold(): void;
	letGo(): void;
	/** The events in no call, by ID. */
	lost(events: readonly WithId[]): string[];
	stop(): Promise<void>;
}

export interface CounterOptions {
	/** How long each execution takes, in milliseconds; 0 by default. */
	readonly lastsMs?: number;
	/** Whether this execution fails, from 1 for the event's first; none by default. */
	readonly fails?: (id: string, execution: number) => boolean;
}

/** Starts a counter on 127.0.0.1; stop it when the test is over. */
export async function startCounter({
	lastsMs = 0,
	fails = () => false,
}: CounterOptions = {}): Promise<Counter> {
	const calls: Call[] = [];
	const begun = new Map<string, number>();
	const waiting = new Set<ServerResponse>();
	let open = Promise.resolve();
	let letGo = (): void => undefined;
	const service = await startHttpService(async ({ query, body }, { response }) => {
		const events = (query['event'] ?? body).split(',');
		const { execution = '', host = '', replayed } = query;
		const call: Call = {
			...{ at: Date.now(), events, execution, host, isReplayed: replayed === 'true' },
		};
		calls.push(call);
		for (const id of events) begun.set(id, (begun.get(id) ?? 0) + 1);
		const isFailing = events.some((id) => fails(id, begun.get(id) ?? 1));
		waiting.add(response);
		response.once('close', () => waiting.delete(response));
		await open;
		if (lastsMs > 0) await sleep(lastsMs);
		if (!response.closed) call.response = { at: Date.now(), isSuccess: !isFailing };
		return isFailing ? { status: 500 } : { body: {} };
	});
	return {
		url: service.url,
		calls,
		begun,
		get waiting() {
			return waiting.size;
		},
		hold() {
			letGo();
			open = new Promise((resolve) => {
				letGo = resolve;
			});
		},
		letGo: () => {
			letGo();
		},
		lost: (events) => events.map(({ id }) => id).filter((id) => !begun.has(id)),
		async stop() {
			letGo();
			await service.stop();
		},
	};
}
