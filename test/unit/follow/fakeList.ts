/** A client whose lists are arrays, as they are at the time of each request. */
import { type ApiClient, ApiError } from '../../../lib/service';
import { walkPages } from '../../../lib/service/paging';

type Client = Pick<ApiClient, 'list'>;
type Asked = Parameters<Client['list']>;

/** `onRequest` is called before each page, with the ID of the record that it follows. It may throw. */
export const fakeList = (
	recordsOf: (resource: Asked[0]) => readonly { readonly id?: unknown }[],
	onRequest: (after: string | undefined, asked: Asked[1]) => void = () => undefined,
): Client => ({
	list: (resource, asked) =>
		walkPages(
			async (limit, after) => {
				onRequest(after, asked);
				const records = recordsOf(resource);
				const from =
					after === undefined ? 0 : records.findIndex(({ id }) => String(id) === after) + 1;
				if (after !== undefined && from === 0) {
					throw new ApiError('Unknown cursor', { hint: '', status: 404 });
				}
				const items = records.slice(from, from + limit).map((record) => ({ ...record }));
				return { items, hasMore: from + limit < records.length };
			},
			{ pageSize: 100, ...asked },
			() => undefined,
		),
});
