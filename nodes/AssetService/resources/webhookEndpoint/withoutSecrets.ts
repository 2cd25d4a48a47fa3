/** What may leave the node of a new endpoint when its signing secret is to be left out. */
import { withoutSecret, type ApiRecord } from '../../../../lib/service';
import { isRecord } from '../../../../lib/shared/values';

interface NewEndpoint {
	readonly id?: string;
	/** Undefined when the answer has no field that is known to hold it. */
	readonly secret?: string;
	readonly record: ApiRecord;
}

/** Fields that say how an endpoint is; those that name it come from the request and the ID. */
const HARMLESS = ['status', 'enabled', 'createdAt', 'updatedAt'];
const SOUNDS_SECRET = /secret|key|token|password|credential|signing|signature|hmac/i;

/**
 * Where the secret is known: the record without it, and without fields whose names sound like another one. Where it is not,
 * any field may hold it: only what cannot is left, which is the ID, what was asked for, and a few known fields.
 */
export function withoutSecrets(made: NewEndpoint, asked: ApiRecord): ApiRecord {
	const { id, secret, record } = made;
	if (secret !== undefined) return quiet(withoutSecret(record, secret));
	const known = HARMLESS.filter((name) => isHarmless(record[name]));
	return {
		...(id !== undefined && { id }),
		...asked,
		...Object.fromEntries(known.map((name) => [name, record[name]])),
	};
}

function isHarmless(value: unknown): boolean {
	if (typeof value === 'boolean') return true;
	// A word, or a date.
	return (
		typeof value === 'string' &&
		(/^[a-z]{1,12}$/i.test(value) || /^\d{4}-\d\d-\d\dT[\d:.]+Z?$/.test(value))
	);
}

function quiet(record: ApiRecord): ApiRecord {
	const named = Object.entries(record).filter(([name]) => !SOUNDS_SECRET.test(name));
	return Object.fromEntries(named.map(([name, value]) => [name, quietValue(value)]));
}

function quietValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(quietValue);
	return isRecord(value) ? quiet(value) : value;
}
