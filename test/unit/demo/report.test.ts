import { isRight, table } from '../../demo/report';

describe('the table of figures', () => {
	it('has a line for each figure, in columns', () => {
		const figures = [
			{ name: 'Deliveries sent', seen: 62, expected: 62 },
			{ name: 'Refused', seen: 2, expected: 2 },
		];
		expect(table(figures).split('\n')).toEqual([
			'                 seen  expected',
			'Deliveries sent    62        62  ok',
			'Refused             2         2  ok',
		]);
		expect(figures.every(isRight)).toBe(true);
	});

	it('marks a figure that is not as promised', () => {
		const figure = { name: 'Executions', seen: 21, expected: 20 };
		expect(table([figure])).toContain('Executions    21        20  WRONG');
		expect(isRight(figure)).toBe(false);
	});
});
