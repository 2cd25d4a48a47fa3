/** Reads a CSV file as a spreadsheet does: RFC 4180, with a header row. */
export function rowsOfCsv(text: string): Record<string, string>[] {
	const [header = [], ...rows] = recordsOf(text);
	return rows.map((cells) => {
		if (cells.length !== header.length) throw new Error(`${cells.length} cells: ${cells.join()}`);
		return Object.fromEntries(header.map((name, n) => [name, cells[n] ?? '']));
	});
}

function recordsOf(text: string): string[][] {
	const records: string[][] = [[]];
	const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
	const content = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
	for (;;) {
		const found = cell.exec(content);
		if (!found) throw new Error(`No CSV at ${content.slice(cell.lastIndex, cell.lastIndex + 40)}`);
		const [, quoted, plain = '', end = ''] = found;
		records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
		if (end === '') return records;
		if (end !== ',') records.push([]);
	}
}
