/** Variables as n8n reads them: `NAME`, otherwise the content of the file that `NAME_FILE` names. */
import { readFileSync } from 'node:fs';
import { fieldOf } from '../../shared/values';
import {
	minLength,
	number,
	pipe,
	safeParse,
	string,
	stringbool,
	transform,
	trim,
} from '../../vendor/zod';
import { LedgerUnavailableError } from './store';

const text = string().check(trim());
const unquoted = pipe(
	text,
	transform((value) => value.replace(/^(['"])(.*)\1$/, '$2')),
);
const numeric = pipe(pipe(text.check(minLength(1)), transform(Number)), number());
/** Case-insensitive. */
const flag = stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] });

/** Each returns undefined if the variable is not set. They throw `LedgerUnavailableError` if a `_FILE` cannot be read. */
export function variablesIn(env: NodeJS.ProcessEnv) {
	return {
		/** The value without surrounding white space and one pair of quotes. */
		text: (name: string) => safeParse(unquoted, readRaw(env, name)).data,
		/** Like n8n: a value that is not a number counts as not set, since n8n's own queue then uses the default. */
		number: (name: string) => safeParse(numeric, readRaw(env, name)).data,
		/** Like n8n: `true`, `1`, `false`, `0`; any other value counts as not set. */
		boolean: (name: string) => safeParse(flag, readRaw(env, name)).data,
	};
}

function readRaw(env: NodeJS.ProcessEnv, name: string): string | undefined {
	const value = env[name];
	if (value !== undefined) return value;
	const file = env[`${name}_FILE`];
	if (!file) return undefined;
	try {
		return readFileSync(file, 'utf8').trim();
	} catch (error) {
		const code = String(fieldOf(error, 'code'));
		throw new LedgerUnavailableError(
			// The path is not repeated: if a person confused the two variables, it is the password itself.
			`The file in ${name}_FILE cannot be read (${code}). Correct its path or its permissions.`,
		);
	}
}
