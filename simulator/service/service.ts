/** The simulated service without HTTP: assets, clients, endpoints, events, deliveries and faults in one place. */
import { activated, type Asset, generateAssets } from '../data/assets';
import { documentedEvents, EVENT_TYPES, type EventContent, type EventSource } from '../data/events';
import { fieldEvents } from '../data/field/source';
import { Incidents } from '../data/incidents';
import { ComputedNetwork } from '../data/network/network';
import { createRandom } from '../data/random';
import { Deliveries } from '../delivery/deliveries';
import { inDisorder } from '../delivery/disorder';
import { Sender } from '../delivery/sender';
import { signedDelivery } from '../delivery/signedDelivery';
import { newId } from '../shared/ids';
import type {
	DeliveredEvent,
	DeliveryResult,
	EmitAllOptions,
	Emitted,
	EmitOptions,
	EventInput,
	Incident,
	Profile,
	ServiceForm,
	SimulatorOptions,
	Tamper,
} from '../shared/types';
import { Endpoints } from '../store/endpoints';
import { EventList } from '../store/eventList';
import { Tokens } from '../store/tokens';
import { Commands } from './commands';
import { FaultList } from './faults';
import { Happenings } from './happenings';

const DEFAULT_ASSETS = 230;
const DEFAULT_EVENTS_PER_SECOND = 9;
const HOUR_MS = 3_600_000;
const DEFAULT_TOKEN_LIFETIME_SECONDS = 3600;
/** Specification section 8. */
const DEFAULT_ATTEMPT_TIMEOUT_MS = 30_000;
const DEFAULT_COMMAND_TIMEOUT_MS = 30_000;
const DEFAULT_AUDIENCE = 'https://api.asset-service.example';
const MAX_COPIES = 1000;
/** In the field profile, other assets send up to this many messages before each message of a story. */
const MOST_BETWEEN = 2;

export class Service {
	readonly audience: string;
	readonly client: { readonly clientId: string; readonly clientSecret: string };
	readonly assets: readonly Asset[];
	readonly tokens: Tokens;
	readonly endpoints: Endpoints;
	readonly events: EventList;
	readonly deliveries: Deliveries;
	readonly commands: Commands;
	readonly faults = new FaultList();
	readonly happenings = new Happenings(this);
	readonly newestFirst: boolean;
	readonly form: ServiceForm;
	readonly now: () => number;
	private readonly sender: Sender;
	private readonly source: EventSource;
	private readonly network: ComputedNetwork | undefined;
	private readonly noted = new Incidents();
	private readonly profile: Profile;
	private readonly sign: SimulatorOptions['sign'];

	constructor(options: SimulatorOptions) {
		this.now = options.now ?? Date.now;
		this.audience = options.audience ?? DEFAULT_AUDIENCE;
		this.newestFirst = options.listOrder !== 'oldestFirst';
		this.sign = options.sign;
		this.form = options.form ?? {};
		this.profile = options.profile ?? 'documented';
		const assets = generateAssets(options.assets ?? DEFAULT_ASSETS);
		this.assets = this.profile === 'network' ? assets.map(activated) : assets;
		this.source = (this.profile === 'documented' ? documentedEvents : fieldEvents)(this.assets);
		if (this.profile === 'network') {
			const perSecond = options.eventsPerSecond ?? DEFAULT_EVENTS_PER_SECOND;
			this.network = new ComputedNetwork(this.assets, perSecond);
		}
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
		this.events = new EventList(this.now, this.network);
		this.sender = new Sender(options.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS);
		this.deliveries = new Deliveries({
			endpoints: this.endpoints,
			sender: this.sender,
			sign: options.sign,
			bodyOf: this.form.deliveredEvent,
			now: this.now,
			retryTimeScale: options.retryTimeScale ?? 1,
			disableEndpointAfterDays: options.disableEndpointAfterDays,
		});
		this.commands = new Commands({
			assets: this.assets,
			timeoutMs: options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
			send: (data) => void this.emit({ type: 'ocpp.message', data }),
		});
		const history = this.network ? 0 : (options.events ?? 0);
		for (const past of this.source.history(history, this.now())) {
			this.events.add(this.makeEvent(past));
		}
	}

	/** @throws {RangeError} if `copies` is not a whole number from 1 to 1000 or `createdAt` is not a time */
	async emit(
		input: EventInput = {},
		{ deliver = true, copies = 1 }: EmitOptions = {},
	): Promise<Emitted> {
		if (!Number.isInteger(copies) || copies < 1 || copies > MAX_COPIES) {
			throw new RangeError(`copies must be a whole number from 1 to ${MAX_COPIES}.`);
		}
		const event = this.record(input, this.now());
		return deliver ? await this.send(event, copies) : { event, responses: [] };
	}

	/** @throws {RangeError} if `createdAt` is not a time */
	async emitAll(
		inputs: readonly EventInput[],
		{ seed = 1 }: EmitAllOptions = {},
	): Promise<{ events: DeliveredEvent[]; sent: Emitted[] }> {
		const last = inputs.length - 1;
		const now = this.now();
		const events = inputs.map((input, index) => this.record(input, now - (last - index) * 1000));
		const sent: Emitted[] = [];
		for (const event of this.profile === 'field' ? this.asInField(events, seed) : events) {
			sent.push(await this.send(event));
		}
		return { events, sent };
	}

	async deliver(
		url: string,
		secret: string,
		event: DeliveredEvent,
		tamper?: Tamper,
	): Promise<DeliveryResult> {
		const { sign } = this;
		const bodyOf = this.form.deliveredEvent;
		const options = { secret, deliveryId: newId('whdel'), nowMs: this.now(), tamper, sign, bodyOf };
		return await this.sender.post(url, signedDelivery(event, options));
	}

	/** Creates an event without recording or sending it. What the simulator made up itself is noted as having happened. */
	makeEvent(input: EventInput & Pick<EventContent, 'marks'>, atMs = this.now()): DeliveredEvent {
		const createdAt = input.createdAt ?? new Date(atMs).toISOString();
		if (Number.isNaN(Date.parse(createdAt))) throw new RangeError('createdAt must be a time.');
		const { type, data, marks }: EventContent = input.data
			? { type: input.type ?? EVENT_TYPES[0], data: input.data, marks: input.marks ?? [] }
			: this.source.next(input.type, createdAt);
		const event = { id: input.id ?? newId('whevt'), type, createdAt, data };
		this.noted.note({ ...event, assetId: assetOf(event) }, marks);
		return event;
	}

	incidents(hours = 24): readonly Incident[] {
		const now = this.now();
		return this.network?.incidents(now - hours * HOUR_MS, now) ?? this.noted.all;
	}

	deleteEndpoint(id: string): boolean {
		const existed = this.endpoints.delete(id);
		if (existed) this.deliveries.forget(id);
		return existed;
	}

	async stop(): Promise<void> {
		this.commands.stop();
		this.deliveries.stop();
		await this.sender.stop();
	}

	/** The recorded event with that ID, or a new one. */
	private record(input: EventInput, atMs: number): DeliveredEvent {
		const known = input.id === undefined ? undefined : this.events.get(input.id);
		if (known) return known;
		const event = this.makeEvent(input, atMs);
		this.events.add(event);
		return event;
	}

	private async send(event: DeliveredEvent, copies = 1): Promise<Emitted> {
		const sent = this.endpoints
			.subscribed(event.type)
			.flatMap((endpoint) =>
				Array.from({ length: copies }, () => this.deliveries.deliver(endpoint, event)),
			);
		return { event, responses: await Promise.all(sent) };
	}

	/** The events of a story, out of order and some of them twice, mixed with routine messages of other assets. */
	private asInField(events: readonly DeliveredEvent[], seed: number): DeliveredEvent[] {
		const random = createRandom(seed);
		const assets = new Set(events.map(assetOf));
		return inDisorder(events, random).flatMap((event) => {
			const between = Array.from({ length: random.int(MOST_BETWEEN + 1) }, () => {
				const now = this.now();
				const content = this.source.background(assets, new Date(now).toISOString(), random);
				return content ? [this.record(content, now)] : [];
			});
			return [...between.flat(), event];
		});
	}
}

function assetOf({ data }: DeliveredEvent): string {
	return String((data['asset'] as { id?: unknown } | undefined)?.id);
}
