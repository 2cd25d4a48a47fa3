/** The fields of a new endpoint that may be output when its signing secret is left out. */
import { withoutSecret, type ApiRecord } from '../../../../lib/service';
import { isRecord } from '../../../../lib/shared/values';

interface NewEndpoint {
	readonly id?: string;
	/** Undefined if the response has no field that is known to contain it. */
	readonly secret?: string;
	readonly record: ApiRecord;
}

/** Fields about the state of an endpoint; the fields that identify it come from the request and the ID. */
const HARMLESS = ['status', 'enabled', 'createdAt', 'updatedAt'];
const SOUNDS_SECRET = /secret|key|token|password|credential|signing|signature|hmac/i;

/**
 * If the secret is known: the record without it, and without fields whose names suggest another secret. If not, any field may
 * contain it: the result has only fields that cannot, which are the ID, the requested values, and a few known fields.
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
