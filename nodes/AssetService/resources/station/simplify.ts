/** Simplify of the questions about stations: items that fit into a row of a table, with the station by its name. */
import type { ApiRecord } from '../../../../lib/service';
import { asRecord, isRecord } from '../../../../lib/shared/values';
import { simplifyField } from '../../shared/lists';
import { flag, type Fetching } from '../../shared/operation';

/** The same question with Simplify in front of its options. */
export function simplifiable(question: Fetching): Fetching {
	const { fields } = question;
	return {
		...question,
		fields: [...fields.slice(0, -1), simplifyField, ...fields.slice(-1)],
		run: async (item) => {
			const isSimple = flag(item, simplifyField.name, simplifyField.displayName, true);
			const found = await question.run(item);
			return isSimple ? found.map(simplified) : found;
		},
	};
}

/** Without the exact seconds, which only sums over many items need. */
function simplified({ station, seconds: _seconds, ...item }: ApiRecord): ApiRecord {
	const { name, id } = asRecord(station);
	const fields = Object.entries(item).map(([field, value]): [string, unknown] => [
		field,
		Array.isArray(value) ? value.map(withoutNulls) : value,
	]);
	return { station: name, stationId: id, ...Object.fromEntries(fields) };
}

function withoutNulls(value: unknown): unknown {
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}
