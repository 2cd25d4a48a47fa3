/** Counts what a workflow has done by the calls that it makes itself: what n8n or the ledger notes of a run cannot change that. */
import type { ServerResponse } from 'node:http';
import { startHttpService } from './httpService';

type WithId = { readonly id: string };

export interface Counter {
	/** To be called with `?event=<id>`, or with the ids of several events in the body, separated by commas. */
	readonly url: string;
	/** The ids that were called with, in the order of the calls. */
	readonly calls: readonly string[];
	/** How often it was called. */
	readonly times: number;
	/** Calls that wait for their answer, whose runs have begun and not ended. A caller that dies waits no longer. */
	readonly waiting: number;
	/** Answers no call until `letGo`: each run lasts until then. */
	hold(): void;
	letGo(): void;
	/** Ids of the events that no call named. */
	lost(events: readonly WithId[]): string[];
	/** Ids that more than one call named. */
	doubled(): string[];
	stop(): Promise<void>;
}

/** Starts a counter on 127.0.0.1; stop it when the test is over. */
export async function startCounter(): Promise<Counter> {
	const calls: string[] = [];
	const waiting = new Set<ServerResponse>();
	let open = Promise.resolve();
	let letGo = (): void => undefined;
	let times = 0;
	const service = await startHttpService(async ({ query, body }, { response }) => {
		times += 1;
		calls.push(...(query['event'] ?? body).split(','));
		waiting.add(response);
		response.once('close', () => waiting.delete(response));
		await open;
		return { body: {} };
	});
	return {
		url: service.url,
		calls,
		get times() {
			return times;
		},
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
		lost(events) {
			const called = new Set(calls);
			return events.map(({ id }) => id).filter((id) => !called.has(id));
		},
		doubled() {
			const once = new Set<string>();
			return [...new Set(calls.filter((id) => once.has(id) || !once.add(id)))];
		},
		async stop() {
			letGo();
			await service.stop();
		},
	};
}
