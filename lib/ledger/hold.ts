/** A claim that waits for n8n's response: its commit is retried until it is written. */
import { untilWritten } from './later';
import type { Claim, Ledger } from './types';

/** The response to the service waits for the commit, but no longer than this. */
const ANSWER_WITHIN_MS = 2_000;

/** One or several events that n8n gets as one execution. */
export interface Hold {
	readonly claims: readonly Claim[];
	readonly ledger: Ledger;
}

/**
 * n8n stored an execution for the claims. Resolves when that is written, after 2 s at the latest; it is then written in
 * the background. Never rejects.
 */
export async function commitHold({ ledger, claims }: Hold, retentionMs: number): Promise<void> {
	await withinLimit(untilWritten(() => ledger.commit(claims, retentionMs)));
}

/** The same for an execution that n8n could not store. */
export async function releaseHold({ ledger, claims }: Hold): Promise<void> {
	await withinLimit(untilWritten(() => ledger.release(claims)));
}

async function withinLimit(written: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const limit = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, ANSWER_WITHIN_MS).unref();
	});
	await Promise.race([written, limit]);
	clearTimeout(timer);
}
