/** Reads n8n's data tables over REST. */
import { z } from 'zod/v4';
import type { Session } from './session';

export interface DataTablesClient {
	/** The rows of the owner's table of that name, at most 100, in order of creation; none if there is no such table. */
	tableRows(name: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const Project = z.object({ data: z.object({ id: z.string() }) });
const Tables = z.object({
	data: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
});
const Rows = z.object({ data: z.object({ data: z.array(z.record(z.string(), z.unknown())) }) });

export function createDataTablesClient(session: Session): DataTablesClient {
	return {
		async tableRows(name) {
			const { data: project } = await session.send('GET', '/rest/projects/personal', Project);
			const path = `/rest/projects/${project.id}/data-tables`;
			const { data: tables } = await session.send('GET', path, Tables);
			const table = tables.data.find((each) => each.name === name);
			if (!table) return [];
			const query = new URLSearchParams({ take: '100', sortBy: 'id:asc' });
			const rows = `${path}/${table.id}/rows?${query.toString()}`;
			return (await session.send('GET', rows, Rows)).data.data;
		},
	};
}
