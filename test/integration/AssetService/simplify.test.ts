import { LISTS } from '../../../lib/service';
import { expectedLists } from '../../support/lists';
import { stopWorlds } from '../../unit/service/world';
import { records, run, serving } from './runs';

afterEach(stopWorlds);

describe.each(expectedLists)(
	'a record of the list %s',
	(resource, { parameters, record, simple }) => {
		const listed = async (more: object, body: unknown) => {
			const world = await serving(() => ({ body }));
			return await records(run(world, { resource, operation: 'getAll', ...parameters, ...more }));
		};

		it('is simple and flat by default', async () => {
			expect(await listed({}, [record])).toEqual([simple]);
		});

		it.each([false, '={{ "false" }}'])('is unchanged with Simplify as %s', async (simplify) => {
			expect(await listed({ simplify }, [record])).toEqual([record]);
		});

		it('has null for missing values, and stays as it is if all its fields are unknown', async () => {
			const nulls = Object.fromEntries(
				Object.keys(LISTS[resource].fields).map((name) => [name, null]),
			);
			expect(await listed({}, [{ id: 7, other: {} }])).toEqual([{ ...nulls, id: 7 }]);
			expect(await listed({}, [{ value: { a: 1 } }, 'text'])).toEqual([
				{ value: { a: 1 } },
				{ value: 'text' },
			]);
		});
	},
);

it('a simplified record keeps 0, false, null and an empty text, without looking for another value', async () => {
	const odd = {
		id: 0,
		type: false,
		createdAt: null,
		payload: { status: '' },
		data: { status: 'b' },
	};
	const world = await serving(() => ({ body: [{ ...odd, eventType: 'x' }] }));
	const listed = await records(run(world, { resource: 'event', operation: 'getAll' }));
	expect(listed).toMatchObject([{ id: 0, type: false, createdAt: null, status: '' }]);
});
