/** Simplify of the questions about stations: items that fit into a row of a table, with the station by its name. */
import type { ApiRecord } from '../../../../lib/service';
import { asRecord, isRecord } from '../../../../lib/shared/values';
import { simplifyField } from '../../shared/lists';
import { flag, type Fetching, type OperationRun } from '../../shared/operation';

export const isSimple = (item: OperationRun): boolean =>
	flag(item, simplifyField.name, simplifyField.displayName, true);

/** The same question with Simplify in front of its options. */
export function simplifiable(question: Fetching): Fetching {
	const { fields } = question;
	return {
		...question,
		fields: [...fields.slice(0, -1), simplifyField, ...fields.slice(-1)],
		run: async (item) => {
			const isToSimplify = isSimple(item);
			const found = await question.run(item);
			return isToSimplify ? found.map(simplified) : found;
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

/** What is wrong with a station, of its status: few enough words for a message, or an AI agent. */
export function problemIn(status: ApiRecord): ApiRecord {
	const { station, status: word, since, minutes, connectors, faults, problems } = status;
	const unavailable = recordsIn(connectors).filter((one) => one['status'] === 'Unavailable');
	const wrong = {
		since,
		minutes,
		connectors: unavailable.map((one) => part(one, ['connector', 'status'])),
		faults: recordsIn(faults).map((one) =>
			part(one, ['connector', 'errorCode', 'vendorErrorCode']),
		),
		problems: recordsIn(problems).map((one) => part(one, ['connector', 'component', 'errorCode'])),
	};
	const isSaid = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== null);
	return {
		station,
		status: word,
		...Object.fromEntries(Object.entries(wrong).filter(([, one]) => isSaid(one))),
	};
}

const recordsIn = (list: unknown): ApiRecord[] =>
	Array.isArray(list) ? list.filter(isRecord) : [];
const part = (record: ApiRecord, fields: readonly string[]): ApiRecord =>
	Object.fromEntries(fields.map((field) => [field, record[field]]));

function withoutNulls(value: unknown): unknown {
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}
