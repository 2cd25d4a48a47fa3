/** When a failed delivery is retried, and the timers for it. */

/** Hours to wait after the first, second, ... failed attempt. After the last retry, the service gives up (published). */
const RETRY_HOURS: readonly number[] = [1, 4, 12, 24, 48];

const HOUR_MS = 3_600_000;

/**
 * Milliseconds from a failed attempt to the next.
 * @param retriesMade 0 after the first attempt
 * @param timeScale multiplies the wait
 * @returns undefined when there are no retries left
 */
export function retryDelayMs(retriesMade: number, timeScale: number): number | undefined {
	const hours = RETRY_HOURS[retriesMade];
	return hours === undefined ? undefined : hours * HOUR_MS * timeScale;
}

/** At most one timer per delivery. None keeps the process alive. */
export class RetryTimers {
	private readonly timers = new Map<string, NodeJS.Timeout>();

	get size(): number {
		return this.timers.size;
	}

	set(deliveryId: string, delayMs: number, retry: () => void): void {
		this.cancel(deliveryId);
		const timer = setTimeout(() => {
			this.timers.delete(deliveryId);
			retry();
		}, delayMs);
		timer.unref();
		this.timers.set(deliveryId, timer);
	}

	cancel(deliveryId: string): void {
		clearTimeout(this.timers.get(deliveryId));
		this.timers.delete(deliveryId);
	}

	cancelAll(): void {
		for (const timer of this.timers.values()) clearTimeout(timer);
		this.timers.clear();
	}
}
