import type { IPollFunctions } from 'n8n-workflow';
import { readPublication } from '../../../../lib/accounts';
import { recordPublication, triggerSettingsOf } from '../../../../n8n/execution/accountAccess';
import { MemoryLedger } from '../../ledger/memoryLedger';

type Context = Pick<IPollFunctions, 'getNode' | 'getWorkflow' | 'getNodeParameter'>;

/** The trigger with this ID, with these parameters. */
const contextOf = (
	parameters: Readonly<Record<string, unknown>>,
	{ id = 'own', nodes = undefined as object | undefined } = {},
): Context =>
	({
		getNode: () => ({ id }),
		getWorkflow: () => ({ id: 'flow' }),
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		...(nodes && { workflow: { nodes } }),
	}) as unknown as Context;

it.each([
	['IDs', 'a, b', ['a', 'b']],
	['IDs on lines', 'a\nb', ['a', 'b']],
	[
		'URLs of their editors',
		'https://n8n.test/workflow/a, https://n8n.test/projects/p/workflow/b/executions?x=1',
		['a', 'b'],
	],
	['nothing', ' ', []],
])('the selected workflows are given as %s', (_what, accountWorkflowIds, ids) => {
	const options = { accountAccess: 'selectedWorkflows', accountWorkflowIds };
	expect(triggerSettingsOf(contextOf({ options }), 'webhook')).toMatchObject({
		access: 'selectedWorkflows',
		accountWorkflowIds: ids,
	});
});

it.each([[undefined], ['everyone'], [{}], ['ANYWORKFLOW']])(
	'the setting %j opens the events to no other workflow',
	(accountAccess) => {
		const settings = triggerSettingsOf(contextOf({ options: { accountAccess } }), 'poll');
		expect(settings.access).toBe('thisWorkflow');
	},
);

it('records the publication without the triggers that are disabled or gone', async () => {
	const ledger = new MemoryLedger();
	const record = async (id: string, nodes: Readonly<Record<string, object>>) => {
		await recordPublication(contextOf({}, { id, nodes }), ledger, 'webhook', 1);
	};
	const all = { A: { id: 'a' }, B: { id: 'b' }, C: { id: 'c' } };
	for (const id of ['a', 'b', 'c']) await record(id, all);
	const recorded = async () =>
		Object.keys((await readPublication(ledger, 'flow'))?.triggers ?? {}).sort();
	expect(await recorded()).toEqual(['a', 'b', 'c']);
	await record('a', { A: { id: 'a' }, B: { id: 'b', disabled: true } });
	expect(await recorded()).toEqual(['a']);
});
