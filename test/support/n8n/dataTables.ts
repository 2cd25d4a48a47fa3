/** Reads and fills n8n's data tables over REST. */
import { z } from 'zod/v4';
import type { Session } from './session';

type Row = Readonly<Record<string, unknown>>;

export interface DataTablesClient {
	/** All rows of the owner's table of that name, in order of creation; none if there is no such table. */
	tableRows(name: string): Promise<readonly Row[]>;
	createTable(name: string, columns: Readonly<Record<string, 'string' | 'number'>>): Promise<void>;
	/** @throws {Error} if there is no such table */
	addTableRows(name: string, rows: readonly Row[]): Promise<void>;
}

const Project = z.object({ data: z.object({ id: z.string() }) });
const Tables = z.object({
	data: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
});
const Rows = z.object({
	data: z.object({ count: z.number(), data: z.array(z.record(z.string(), z.unknown())) }),
});
/** As many as n8n allows. */
const PAGE = 250;

export function createDataTablesClient(session: Session): DataTablesClient {
	const allTables = async (): Promise<string> => {
		const { data: project } = await session.send('GET', '/rest/projects/personal', Project);
		return `/rest/projects/${project.id}/data-tables`;
	};
	const pathOf = async (name: string): Promise<string | undefined> => {
		const path = await allTables();
		const { data: tables } = await session.send('GET', path, Tables);
		const table = tables.data.find((each) => each.name === name);
		return table && `${path}/${table.id}`;
	};
	return {
		async tableRows(name) {
			const path = await pathOf(name);
			const rows: Row[] = [];
			for (let count = path === undefined ? 0 : Infinity; rows.length < count;) {
				const page = { take: String(PAGE), skip: String(rows.length), sortBy: 'id:asc' };
				const query = new URLSearchParams(page).toString();
				const { data } = await session.send('GET', `${path}/rows?${query}`, Rows);
				rows.push(...data.data);
				count = data.data.length === 0 ? 0 : data.count;
			}
			return rows;
		},
		async createTable(name, columns) {
			const all = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
			await session.send('POST', await allTables(), z.unknown(), { name, columns: all });
		},
		async addTableRows(name, rows) {
			const path = await pathOf(name);
			if (path === undefined) throw new Error(`There is no data table ${name}.`);
			await session.send('POST', `${path}/insert`, z.unknown(), { data: rows });
		},
	};
}
