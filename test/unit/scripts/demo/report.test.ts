import { isRight, table } from '../../../../scripts/demo/report';

it('the table of figures marks the one that is not as promised', () => {
	const figures = [
		{ name: 'Deliveries sent', seen: 62, expected: 62 },
		{ name: 'Executions', seen: 21, expected: 20 },
	];
	expect(table(figures)).toMatch(/sent +62 +62 {2}ok\nExecutions +21 +20 {2}WRONG$/);
	expect(figures.map(isRight)).toEqual([true, false]);
});
