/**
 * The fields of the events that arrived at webhook triggers of this process, by signing secret: with manual registration, a
 * node has no API credential to list recent events with. The editor names neither its workflow nor its node when it asks.
 */
import type { ILoadOptionsFunctions, IWebhookFunctions } from 'n8n-workflow';
import { Fields } from '../../lib/event';
import { SIGNING_SECRET_CREDENTIAL } from '../api/apiClient';

type EditorContext = Pick<IWebhookFunctions | ILoadOptionsFunctions, 'getNode'>;

const arrived = new Map<string, Fields>();
const MOST_SECRETS = 50;

export function noteFields(
	context: EditorContext,
	{ _delivery, _replay, ...event }: Readonly<Record<string, unknown>>,
): void {
	const key = keyOf(context);
	if (key === undefined) return;
	const fields = arrived.get(key) ?? new Fields();
	if (arrived.size >= MOST_SECRETS && !arrived.has(key)) arrived.clear();
	arrived.set(key, fields);
	fields.add(event);
}

export function arrivedFields(context: EditorContext): Fields {
	return arrived.get(keyOf(context) ?? '') ?? new Fields();
}

const keyOf = (context: EditorContext) =>
	context.getNode().credentials?.[SIGNING_SECRET_CREDENTIAL]?.id ?? undefined;
