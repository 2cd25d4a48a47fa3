/** Variables as n8n reads them: `NAME`, else the content of the file that `NAME_FILE` names. */
import { readFileSync } from 'node:fs';
import { errorField, LedgerUnavailableError } from './errors';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value without surrounding white space and one pair of quotes; undefined when the variable is not set. */
export function readText(env: Environment, name: string): string | undefined {
	return readRaw(env, name)
		?.trim()
		.replace(/^(['"])(.*)\1$/, '$2');
}

/** As n8n does: a value that is no number counts as not set, since n8n's own queue goes on with the default. */
export function readNumber(env: Environment, name: string): number | undefined {
	if (!readText(env, name)) return undefined;
	const number = Number(readRaw(env, name));
	return Number.isNaN(number) ? undefined : number;
}

/** As n8n does: `true`, `1`, `false`, `0`; anything else counts as not set. */
export function readBoolean(env: Environment, name: string): boolean | undefined {
	const value = readRaw(env, name)?.toLowerCase();
	if (value === 'true' || value === '1') return true;
	if (value === 'false' || value === '0') return false;
	return undefined;
}

function readRaw(env: Environment, name: string): string | undefined {
	const value = env[name];
	if (value !== undefined) return value;
	const file = env[`${name}_FILE`];
	if (!file) return undefined;
	try {
		return readFileSync(file, 'utf8').trim();
	} catch (error) {
		const code = String(errorField(error, 'code'));
		throw new LedgerUnavailableError(
			`The file that ${name}_FILE names cannot be read (${code}): ${file}. Correct the path or the permissions of the file.`,
		);
	}
}
