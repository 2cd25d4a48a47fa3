import { newest } from '../../../lib/service/lists';

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
const minutes = (first: number, step: number, count: number) =>
	Array.from({ length: count }, (_, index) => first + index * step);
const every = () => true;

/** The ids of what is found, which are the minutes, and how many records were asked for. */
async function find(
	list: readonly number[],
	bounds: Partial<Parameters<typeof newest>[1]> = {},
): Promise<{ found: unknown[]; asked: number }> {
	let asked = 0;
	const records = async function* () {
		for (const id of list) {
			asked += 1;
			yield Number.isNaN(id) ? { id } : { id, createdAt: at(id) };
		}
	};
	const found = await newest(records(), { most: 3, mostSeen: 50, matching: every, ...bounds });
	return { found: found.map(({ id }) => id), asked };
}

describe('the newest of a list', () => {
	it('are its first, and no more are read, where the newest come first', async () => {
		expect(await find(minutes(900, -1, 900))).toEqual({ found: [900, 899, 898], asked: 3 });
	});

	it('are its last where the oldest come first', async () => {
		expect(await find(minutes(0, 1, 200))).toEqual({ found: [199, 198, 197], asked: 200 });
	});

	it('are looked for among so many records and no more', async () => {
		const matching = ({ id }: Record<string, unknown>) => id === 880 || id === 10;
		expect(await find(minutes(900, -1, 900), { matching })).toEqual({ found: [880], asked: 50 });
	});

	it('are its last also where its first records have no time', async () => {
		const list = [...minutes(Number.NaN, 0, 40), ...minutes(0, 1, 200)];
		const { found, asked } = await find(list, { mostSeen: 100 });
		expect([found, asked]).toEqual([[199, 198, 197], 240]);
	});

	it('keep their order where they tell no time', async () => {
		const records = async function* () {
			yield* [{ id: 'b' }, { id: 'c', createdAt: at(1) }, { id: 'a' }];
		};
		const found = await newest(records(), { most: 9, mostSeen: 9, matching: every });
		expect(found.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
	});
});
