/** Sends single deliveries to a published trigger and reports their results. */
import { randomUUID } from 'node:crypto';
import type { DeliveredEvent, Simulator, Tamper } from '../../../simulator';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import type { World } from '../../support/n8n/world';
import { waitFor } from '../../support/wait';
import type { PublishedTrigger } from './trigger';

interface Answer {
	readonly status: number;
	readonly body: string;
}

/** A response with this status and this word in its body. */
export function answered(status: number, name: string): Answer {
	return { status, body: JSON.stringify({ status: name }) };
}

export function newEvent(type = 'ocpp.message'): DeliveredEvent {
	const id = `whevt_${randomUUID()}`;
	return { id, type, createdAt: new Date().toISOString(), data: { asset: { id: 'asset-1' } } };
}

/** Sends an event as the service does, or makes it invalid. */
export async function deliver(
	simulator: Simulator,
	{ url, endpoint }: PublishedTrigger,
	event: DeliveredEvent,
	tamper?: Tamper,
): Promise<Answer> {
	const { status, body } = await simulator.deliver(url, endpoint.secret, event, tamper);
	return { status, body };
}

/** Sends any body, correctly signed. */
export async function post(
	{ url, endpoint }: PublishedTrigger,
	body: string,
	contentType = 'application/json',
): Promise<Answer> {
	const signature = signTimestamped(endpoint.secret, Math.floor(Date.now() / 1000), body);
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': contentType, 'x-webhook-signature': signature },
		body,
	});
	return { status: response.status, body: await response.text() };
}

/** The reasons in n8n's log for this many rejections of a workflow, sorted. Those of one second and reason share a line. */
export async function refusalsIn(
	{ server }: World,
	{ workflow }: PublishedTrigger,
	count: number,
): Promise<string[]> {
	const line = new RegExp(
		`workflow ${workflow.id}: delivery rejected: (\\w+)(?:.*\\((\\d+) of this kind)?`,
		'g',
	);
	return await waitFor(
		() => {
			const reasons = [...server.logs().matchAll(line)].flatMap(([, reason = '', times = '1']) =>
				Array<string>(Number(times)).fill(reason),
			);
			return reasons.length >= count ? reasons.sort() : undefined;
		},
		{ what: `${count} refusals in n8n's log`, timeoutMs: 10_000 },
	);
}
