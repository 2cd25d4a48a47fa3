/** The simulated service without its HTTP side: assets, clients, endpoints, events, deliveries and faults in one place. */
import { type Asset, generateAssets } from './data/assets';
import { createEventData, EVENT_TYPES, type EventDataGenerator } from './data/events';
import { Deliveries } from './delivery/deliveries';
import { Sender } from './delivery/sender';
import { signedDelivery } from './delivery/signedDelivery';
import { FaultList } from './faults';
import { newId } from './ids';
import { Endpoints } from './store/endpoints';
import { Retained } from './store/retained';
import { Tokens } from './store/tokens';
import type {
	DeliveredEvent,
	DeliveryResponse,
	DeliveryResult,
	EmitOptions,
	EventInput,
	SimulatorOptions,
	Tamper,
} from './types';

const DEFAULT_ASSETS = 230;
const DEFAULT_TOKEN_LIFETIME_SECONDS = 3600;
/** Specification section 8. */
const DEFAULT_ATTEMPT_TIMEOUT_MS = 30_000;
const DEFAULT_AUDIENCE = 'https://api.asset-service.example';
const HISTORY_STEP_MS = 5 * 60_000;
const MAX_COPIES = 1000;

export class Service {
	readonly audience: string;
	readonly client: { readonly clientId: string; readonly clientSecret: string };
	readonly assets: readonly Asset[];
	readonly tokens: Tokens;
	readonly endpoints: Endpoints;
	readonly events: Retained<DeliveredEvent>;
	readonly deliveries: Deliveries;
	readonly faults = new FaultList();
	readonly newestFirst: boolean;
	private readonly now: () => number;
	private readonly sender: Sender;
	private readonly eventData: EventDataGenerator;

	constructor(options: SimulatorOptions) {
		this.now = options.now ?? Date.now;
		this.audience = options.audience ?? DEFAULT_AUDIENCE;
		this.newestFirst = options.listOrder !== 'oldestFirst';
		this.assets = generateAssets(options.assets ?? DEFAULT_ASSETS);
		this.eventData = createEventData(this.assets);
		this.tokens = new Tokens(
			this.now,
			options.tokenLifetimeSeconds ?? DEFAULT_TOKEN_LIFETIME_SECONDS,
		);
		this.client = this.tokens.addClient({
			clientId: options.clientId,
			clientSecret: options.clientSecret,
			scopes: options.scopes,
		});
		this.endpoints = new Endpoints(this.now, options.allowHttpEndpoints ?? true);
		this.events = new Retained(this.now);
		this.sender = new Sender(options.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS);
		this.deliveries = new Deliveries({
			endpoints: this.endpoints,
			sender: this.sender,
			now: this.now,
			retryTimeScale: options.retryTimeScale ?? 1,
			disableEndpointAfterDays: options.disableEndpointAfterDays,
		});
		this.addHistory(options.events ?? 0);
	}

	/** @throws {RangeError} for copies that are not a whole number from 1 to 1000 */
	async emit(
		input: EventInput = {},
		{ deliver = true, copies = 1 }: EmitOptions = {},
	): Promise<{ event: DeliveredEvent; responses: DeliveryResponse[] }> {
		if (!Number.isInteger(copies) || copies < 1 || copies > MAX_COPIES) {
			throw new RangeError(`copies must be a whole number from 1 to ${MAX_COPIES}.`);
		}
		const known = input.id === undefined ? undefined : this.events.get(input.id);
		const event = known ?? this.record(input, this.now());
		const receivers = deliver ? this.endpoints.subscribed(event.type) : [];
		const sent = receivers.flatMap((endpoint) =>
			Array.from({ length: copies }, () => this.deliveries.deliver(endpoint, event)),
		);
		return { event, responses: await Promise.all(sent) };
	}

	async deliver(
		url: string,
		secret: string,
		event: DeliveredEvent,
		tamper?: Tamper,
	): Promise<DeliveryResult> {
		const options = { secret, deliveryId: newId('whdel'), nowMs: this.now(), tamper };
		return await this.sender.post(url, signedDelivery(event, options));
	}

	/** An event that is neither recorded nor sent. */
	makeEvent(input: EventInput, atMs = this.now()): DeliveredEvent {
		const createdAt = new Date(atMs).toISOString();
		const type = input.type ?? EVENT_TYPES[0];
		return {
			id: input.id ?? newId('whevt'),
			type,
			createdAt,
			data: input.data ?? this.eventData.next(type, createdAt),
		};
	}

	deleteEndpoint(id: string): boolean {
		const existed = this.endpoints.delete(id);
		if (existed) this.deliveries.forget(id);
		return existed;
	}

	async stop(): Promise<void> {
		this.deliveries.stop();
		await this.sender.stop();
	}

	private record(input: EventInput, atMs: number): DeliveredEvent {
		const event = this.makeEvent(input, atMs);
		this.events.add(event);
		return event;
	}

	private addHistory(count: number): void {
		const now = this.now();
		for (let age = count; age > 0; age--) {
			// Mostly messages, now and then a lost or regained connection, as a network has them.
			const type = age % 5 === 0 ? 'asset.connectivity' : 'ocpp.message';
			this.record({ type }, now - age * HISTORY_STEP_MS);
		}
	}
}
