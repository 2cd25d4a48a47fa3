/** Deliveries of events to endpoints: attempts, retries, resends and their records. */
import { newId } from '../shared/ids';
import type {
	DeliveredEvent,
	DeliveryAttempt,
	DeliveryRecord,
	DeliveryResponse,
	DeliveryResult,
	ServiceForm,
	Sign,
} from '../shared/types';
import type { Endpoints, StoredEndpoint } from '../store/endpoints';
import { Retained } from '../store/retained';
import { retryDelayMs, RetryTimers } from './schedule';
import { isSuccess, type Sender } from './sender';
import { signedDelivery } from './signedDelivery';

const DAY_MS = 86_400_000;

interface DeliveriesOptions {
	readonly endpoints: Endpoints;
	readonly sender: Sender;
	readonly now: () => number;
	readonly retryTimeScale: number;
	readonly sign: Sign | undefined;
	readonly bodyOf: ServiceForm['deliveredEvent'];
	/** In days, before scaling. */
	readonly disableEndpointAfterDays: number | undefined;
}

interface Delivery {
	readonly id: string;
	readonly createdAt: string;
	readonly endpointId: string;
	readonly event: DeliveredEvent;
	readonly attempts: DeliveryAttempt[];
	retriesMade: number;
}

interface ResendAnswer {
	id: string;
	status: DeliveryAttempt['status'];
	statusCode: number | null;
	attempt: { status: DeliveryAttempt['status']; timestamp: string };
}

export class Deliveries {
	private readonly deliveries: Retained<Delivery>;
	private readonly timers = new RetryTimers();
	private readonly attempts = { attempts: 0, succeeded: 0, failed: 0 };
	private stopped = false;

	constructor(private readonly options: DeliveriesOptions) {
		this.deliveries = new Retained(options.now);
	}

	get counts() {
		return { ...this.attempts, pendingRetries: this.timers.size };
	}

	/** Makes the first attempt. If it fails, retries follow automatically. */
	async deliver(endpoint: StoredEndpoint, event: DeliveredEvent): Promise<DeliveryResponse> {
		const delivery: Delivery = {
			id: newId('whdel'),
			createdAt: new Date(this.options.now()).toISOString(),
			endpointId: endpoint.id,
			event,
			attempts: [],
			retriesMade: 0,
		};
		this.deliveries.add(delivery);
		const result = await this.attempt(delivery, endpoint);
		return { ...result, deliveryId: delivery.id, endpointId: endpoint.id };
	}

	/**
	 * Sends a delivery again, whatever its outcome was, with a fresh signature.
	 * Undefined if there is no such delivery or its endpoint was deleted.
	 */
	async resend(endpointId: string, deliveryId: string): Promise<ResendAnswer | undefined> {
		const delivery = this.deliveries.get(deliveryId);
		const endpoint = this.options.endpoints.get(endpointId);
		if (!endpoint || delivery?.endpointId !== endpointId) return undefined;
		const result = await this.send(delivery, endpoint);
		const { status, statusCode, timestamp } = this.record(delivery, endpoint, result);
		if (status === 'success') this.timers.cancel(delivery.id);
		return { id: delivery.id, status, statusCode, attempt: { status, timestamp } };
	}

	/** Oldest first, without deliveries whose first attempt has not ended. */
	list(endpointId: string): DeliveryRecord[] {
		return this.deliveries
			.all()
			.filter((delivery) => delivery.endpointId === endpointId && delivery.attempts.length > 0)
			.map(asRecord);
	}

	/** Drops the retries of a deleted endpoint. */
	forget(endpointId: string): void {
		for (const { id, endpointId: owner } of this.deliveries.all()) {
			if (owner === endpointId) this.timers.cancel(id);
		}
	}

	stop(): void {
		this.stopped = true;
		this.timers.cancelAll();
	}

	private async attempt(delivery: Delivery, endpoint: StoredEndpoint): Promise<DeliveryResult> {
		const result = await this.send(delivery, endpoint);
		const { status } = this.record(delivery, endpoint, result);
		if (status === 'failed') this.retryLater(delivery);
		return result;
	}

	private async send(delivery: Delivery, endpoint: StoredEndpoint): Promise<DeliveryResult> {
		const { sender, now, sign, bodyOf } = this.options;
		const signed = signedDelivery(delivery.event, {
			...{ sign, bodyOf },
			secret: endpoint.secret,
			deliveryId: delivery.id,
			nowMs: now(),
		});
		return await sender.post(endpoint.url, signed);
	}

	private record(
		delivery: Delivery,
		endpoint: StoredEndpoint,
		result: DeliveryResult,
	): DeliveryAttempt {
		const now = this.options.now();
		const success = isSuccess(result);
		const attempt: DeliveryAttempt = {
			status: success ? 'success' : 'failed',
			statusCode: result.status === 0 ? null : result.status,
			timestamp: new Date(now).toISOString(),
		};
		delivery.attempts.push(attempt);
		this.attempts.attempts += 1;
		this.attempts[success ? 'succeeded' : 'failed'] += 1;
		if (success) endpoint.lastSuccessAt = now;
		else this.disableIfDead(endpoint, now);
		return attempt;
	}

	private disableIfDead(endpoint: StoredEndpoint, now: number): void {
		const { disableEndpointAfterDays: days, retryTimeScale } = this.options;
		if (days === undefined) return;
		endpoint.disabled = now - endpoint.lastSuccessAt >= days * DAY_MS * retryTimeScale;
		if (endpoint.disabled) this.forget(endpoint.id);
	}

	private retryLater(delivery: Delivery): void {
		const delayMs = retryDelayMs(delivery.retriesMade, this.options.retryTimeScale);
		const mayRetry = () => {
			const endpoint = this.options.endpoints.get(delivery.endpointId);
			return endpoint && !endpoint.disabled ? endpoint : undefined;
		};
		if (this.stopped || delayMs === undefined || !mayRetry()) return;
		this.timers.set(delivery.id, delayMs, () => {
			const endpoint = mayRetry();
			if (!endpoint) return;
			delivery.retriesMade += 1;
			void this.attempt(delivery, endpoint);
		});
	}
}

function asRecord(delivery: Delivery): DeliveryRecord {
	const { id, event, attempts, createdAt } = delivery;
	return {
		id,
		eventId: event.id,
		eventType: event.type,
		payload: event.data,
		status: attempts.some(({ status }) => status === 'success') ? 'success' : 'failed',
		attempts: attempts.map((attempt) => ({ ...attempt })),
		createdAt,
	};
}
