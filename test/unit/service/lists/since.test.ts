import { since } from '../../../../lib/service/paging';

const MOMENT = Date.UTC(2026, 0, 2);
const at = (minutes: number) => new Date(MOMENT + minutes * 60_000).toISOString();
const from = (first: number, step: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({ createdAt: at(first + index * step) }));

const read = (records: readonly Record<string, unknown>[]) => {
	const ageOf = since(MOMENT);
	const ages = records.map(ageOf);
	const asked = ages.indexOf('beyond') + 1 || records.length;
	const found = records.slice(0, asked).filter((_record, index) => ages[index] === 'wanted');
	return { found, asked };
};

describe('a list since a moment', () => {
	it('ends a page after the moment where the newest come first', () => {
		const records = from(249, -1, 5000);
		const { found, asked } = read(records);
		expect(found).toEqual(records.slice(0, 250));
		expect(asked).toBe(350);
	});

	it('ends there also where its first records have no time', () => {
		const timeless = Array.from({ length: 40 }, () => ({ createdAt: 'some day' }));
		expect(read([...timeless, ...from(249, -1, 5000)]).asked).toBe(390);
	});

	it('is read to its end where the oldest come first', () => {
		const records = from(-3000, 1, 3250);
		expect(read(records).found).toEqual(records.slice(3000));
	});

	it('is read to its end where the oldest come first, a page of them at one moment', () => {
		const records = [...from(-60, 0, 300), ...from(-59, 1, 100)];
		expect(read(records).found).toEqual(records.slice(-41));
	});

	it('continues past older ones that do not fill a page in a row', () => {
		const records = Array.from({ length: 500 }, (_, index) => ({
			createdAt: at(index % 100 === 0 ? 600 - index / 100 : -index),
		}));
		expect(read(records).found).toHaveLength(5);
	});

	it('is read to its end, with every record, if none has a time', () => {
		const records = Array.from({ length: 500 }, (_, id) => ({ id, createdAt: 'some day' }));
		expect(read(records).found).toEqual(records);
	});

	it.each([
		['its own time before that of an attempt', { createdAt: at(1), attempts: [{ timestamp: 0 }] }],
		['the moment itself', { createdAt: at(0) }],
		['unix seconds', { createdAt: MOMENT / 1000 }],
		['its first attempt', { attempts: [{ timestamp: at(5) }, { timestamp: at(-9) }] }],
	])('keeps a record that tells %s', (_name, record) => {
		expect(read([record]).found).toEqual([record]);
	});

	it.each([
		['its own time', { createdAt: at(-1), attempts: [{ timestamp: at(1) }] }],
		['unix seconds', { createdAt: MOMENT / 1000 - 1 }],
		['a part of a second', { createdAt: MOMENT / 1000 - 0.5 }],
		['its first attempt', { attempts: [{ timestamp: at(-5) }, { timestamp: at(9) }] }],
	])('leaves out an older record by %s', (_name, record) => {
		expect(read([record]).found).toEqual([]);
	});
});
