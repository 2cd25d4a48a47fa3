/** Counts executions by calls from the workflow itself, independent of the records of n8n and the ledger. */
import type { ServerResponse } from 'node:http';
import { startHttpService } from './httpService';

type WithId = { readonly id: string };

export interface Counter {
	/** Call it with `?event=<id>`, or with the IDs of several events in the body, separated by commas. */
	readonly url: string;
	/** The IDs in the calls, in order. */
	readonly calls: readonly string[];
	/** Number of calls. */
	readonly times: number;
	/** Calls that wait for a response: their executions have begun but not ended. A caller that dies no longer counts. */
	readonly waiting: number;
	/** Responds to no call until `letGo`, so each execution lasts until then. */
	hold(): void;
	letGo(): void;
	/** The events in no call, by ID. */
	lost(events: readonly WithId[]): string[];
	/** IDs in more than one call. */
	doubled(): string[];
	/** How many of the events are in one call, in two, and so on, by the number of calls. */
	tally(events: readonly WithId[]): Record<number, number>;
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
		tally(events) {
			const counts: Record<number, number> = {};
			for (const { id } of events) {
				const times = calls.filter((called) => called === id).length;
				counts[times] = (counts[times] ?? 0) + 1;
			}
			return counts;
		},
		async stop() {
			letGo();
			await service.stop();
		},
	};
}
