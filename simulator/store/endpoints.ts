/** Webhook endpoints: the URL, event types and signing secret of each. */
import { newId, newSigningSecret } from '../shared/ids';
import type { Endpoint, EndpointInput } from '../shared/types';

/** Matches every event type. Only in the simulator: the service takes exact types. */
export const EVERY_EVENT = '*';

/** An endpoint with the simulator's internal fields. */
export interface StoredEndpoint extends Endpoint {
	url: string;
	/** Time of its latest success or of its creation, in milliseconds since 1970. */
	lastSuccessAt: number;
	disabled: boolean;
}

export class Endpoints {
	readonly counts = { created: 0, deleted: 0, mostAtOnce: 0 };
	private readonly endpoints = new Map<string, StoredEndpoint>();

	constructor(
		private readonly now: () => number,
		private readonly allowHttp: boolean,
	) {}

	/** @throws {Error} if the service does not deliver to the URL */
	create(input: EndpointInput): Endpoint {
		this.checkUrl(input.url);
		const endpoint: StoredEndpoint = {
			id: newId('we'),
			url: input.url,
			events: [...(input.events ?? [EVERY_EVENT])],
			secret: input.secret ?? newSigningSecret(),
			lastSuccessAt: this.now(),
			disabled: false,
		};
		this.endpoints.set(endpoint.id, endpoint);
		this.counts.created += 1;
		this.counts.mostAtOnce = Math.max(this.counts.mostAtOnce, this.endpoints.size);
		return shown(endpoint);
	}

	/** @throws {Error} if the service does not deliver to the URL */
	move(id: string, url: string): boolean {
		this.checkUrl(url);
		const endpoint = this.endpoints.get(id);
		if (endpoint) endpoint.url = url;
		return endpoint !== undefined;
	}

	delete(id: string): boolean {
		const existed = this.endpoints.delete(id);
		if (existed) this.counts.deleted += 1;
		return existed;
	}

	get(id: string): StoredEndpoint | undefined {
		return this.endpoints.get(id);
	}

	subscribed(type: string): StoredEndpoint[] {
		return [...this.endpoints.values()].filter(
			({ disabled, events }) =>
				!disabled && (events.includes(EVERY_EVENT) || events.includes(type)),
		);
	}

	all(): Endpoint[] {
		return [...this.endpoints.values()].map(shown);
	}

	/** Specification 6.1: https in production. Plain http is only for this machine and can be turned off. */
	private checkUrl(text: string): void {
		const url = URL.canParse(text) ? new URL(text) : undefined;
		if (url?.protocol === 'https:') return;
		if (url?.protocol === 'http:' && this.allowHttp && isLoopback(url.hostname)) return;
		throw new Error('The URL of a webhook endpoint must use https.');
	}
}

export function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function shown({ id, url, events, secret, disabled }: StoredEndpoint): Endpoint {
	return { id, url, events: [...events], secret, disabled };
}
