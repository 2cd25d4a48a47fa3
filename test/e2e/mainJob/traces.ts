/** Looks for texts in everything that an n8n has written: its logs, its files and each row of its databases. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where each text was found, such as `2 in .n8n/database.sqlite: execution_data`; never the text itself. */
export function tracesOf(texts: readonly string[], userFolder: string): string[] {
	const found = writtenFiles(userFolder).flatMap((file) => {
		const name = relative(userFolder, file);
		const places = file.endsWith('.sqlite') ? tablesOf(file, name) : [];
		return [{ name, content: contentOf(file) }, ...places];
	});
	return found.flatMap(({ name, content }) =>
		texts.flatMap((text, index) => (content.includes(text) ? [`${index} in ${name}`] : [])),
	);
}

/** All but the installed package: it was there before there was any secret. */
function writtenFiles(userFolder: string): string[] {
	const installed = join('.n8n', 'nodes') + sep;
	return readdirSync(userFolder, { recursive: true, encoding: 'utf8' })
		.filter((path) => !path.startsWith(installed))
		.map((path) => join(userFolder, path))
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

/** Nothing, when n8n has removed the file since it was listed. */
function contentOf(file: string): string {
	try {
		return readFileSync(file, 'latin1');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		return '';
	}
}

/** Row by row, since the file itself holds a long text in pieces. */
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
