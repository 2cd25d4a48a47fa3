import { isRight, signIn, table } from '../../../../scripts/demo/report';

it('the sign-in leads to the workflows of the demo, and not to the start page of n8n', () => {
	const lines = signIn({
		world: { url: 'http://127.0.0.1:5678', owner: { email: 'a@example.com', password: 'p' } },
		eventWorkflow: { id: 'e', name: 'Start on an event' },
		assetsWorkflow: { id: 'a', name: 'List assets' },
		catchUpWorkflow: { id: 'c', name: 'Catch missed events' },
	});
	expect(lines[0]).toMatch(/^Open +http:\/\/127.0.0.1:5678\/workflow\/e\/executions$/);
	expect(lines[1]).toMatch(/^Sign in +a@example.com {2}p$/);
	for (const id of ['a', 'c']) expect(lines.join('\n')).toContain(`:5678/workflow/${id}`);
});

it('the table of figures marks the one that is not as promised', () => {
	const figures = [
		{ name: 'Deliveries sent', seen: 62, expected: 62 },
		{ name: 'Executions', seen: 21, expected: 20 },
	];
	expect(table(figures)).toMatch(/sent +62 +62 {2}ok\nExecutions +21 +20 {2}WRONG$/);
	expect(figures.map(isRight)).toEqual([true, false]);
});
