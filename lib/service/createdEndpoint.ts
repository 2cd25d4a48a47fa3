/** Finds the ID and the signing secret of a new endpoint in the response to its creation. */
import { own, valueAt } from '../shared/values';
import { ENVELOPE, type ServiceInterface } from './common/defaults';
import { asId } from './common/record';

/** Each is returned if the response has it, in `data` or next to it. */
export function createdEndpoint(
	json: unknown,
	{ endpointIdField, endpointSecretField }: ServiceInterface,
): { id?: string; secret?: string } {
	const places = [own(json, ENVELOPE.data), json];
	const id = places.map((place) => asId(valueAt(place, endpointIdField))).find(isPresent);
	const secret = places.map((place) => valueAt(place, endpointSecretField)).find(isText);
	return { ...(id !== undefined && { id }), ...(secret !== undefined && { secret }) };
}

const isPresent = (id: string | undefined) => id !== undefined;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
