/** Searches for texts in everything that n8n has written: its logs, its files and each row of its databases. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where each text was found in any form, such as `2 in .n8n/database.sqlite: execution_data`; never the text itself. */
export function tracesOf(texts: readonly string[], userFolder: string): string[] {
	const found = writtenFiles(userFolder).flatMap((file) => {
		const name = relative(userFolder, file);
		const places = file.endsWith('.sqlite') ? tablesOf(file, name) : [];
		return [{ name, content: contentOf(file) }, ...places];
	});
	const forms = texts.map(formsOf);
	return found.flatMap(({ name, content }) =>
		forms.flatMap((some, index) =>
			some.some((form) => content.includes(form)) ? [`${index} in ${name}`] : [],
		),
	);
}

/** Plain, in hex, in Base64 and as in a URL. */
function formsOf(text: string): string[] {
	const bytes = Buffer.from(text, 'utf8');
	const hex = bytes.toString('hex');
	return [
		...[text, hex, hex.toUpperCase(), encodeURIComponent(text)],
		...[bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')],
	];
}

/** Everything except the other packages that n8n installed. */
function writtenFiles(userFolder: string): string[] {
	const installed = join('.n8n', 'nodes') + sep;
	const own = join(installed, 'node_modules', 'n8n-nodes-asset-service') + sep;
	return readdirSync(userFolder, { recursive: true, encoding: 'utf8' })
		.filter((path) => !path.startsWith(installed) || path.startsWith(own))
		.map((path) => join(userFolder, path))
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Nothing if n8n has removed the file since it was listed. */
function contentOf(file: string): string {
	try {
		return readFileSync(file, 'latin1');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		return '';
	}
}

/** Row by row, since the file itself stores long texts in pieces. */
function tablesOf(file: string, name: string): { name: string; content: string }[] {
	const database = new DatabaseSync(file, { readOnly: true, timeout: 30_000 });
	try {
		const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
		return tables.map(({ name: table }) => ({
			name: `${name}: ${String(table)}`,
			content: JSON.stringify(
				database.prepare(`SELECT * FROM "${String(table)}"`).all(),
				(_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
			),
		}));
	} finally {
		database.close();
	}
}
