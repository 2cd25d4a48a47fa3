import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { staticMemory } from '../../../../n8n/poll/memory';

const memoryOf = (data: IDataObject, { workflowId = 'w', nodeId = 'n' } = {}) =>
	staticMemory({
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ id: nodeId }),
		getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
	} as unknown as IPollFunctions);

const until = { startFrom: 'now', at: 5, polls: 3 } as const;

it.each(['now', 'retained'] as const)(
	'keeps up to when the node has polled, from %s',
	(startFrom) => {
		const data = {};
		memoryOf(data).write({ ...until, startFrom });
		expect(memoryOf(data).read()).toMatchObject({ ...until, startFrom });
	},
);

it.each([{ workflowId: 'a copy' }, { nodeId: 'another' }])('is not that of %j', (other) => {
	const data = {};
	memoryOf(data).write(until);
	expect(memoryOf(data, other).read()).toBeUndefined();
});

it('assigns nothing that is there already: n8n would write all static data of the workflow', () => {
	const data: IDataObject = {};
	memoryOf(data).write(until);
	const kept = data['polledUntil'];
	memoryOf(data).write({ ...until });
	expect(data['polledUntil']).toBe(kept);
	for (const change of [{ at: 6 }, { polls: 4 }, { startFrom: 'retained' }] as const) {
		memoryOf(data).write({ ...until, ...change });
		expect(memoryOf(data).read()).toMatchObject({ ...until, ...change });
	}
});

it('does not change the static data once it is closed', () => {
	const data = {};
	const memory = memoryOf(data);
	memory.close();
	memory.write(until);
	expect(data).toEqual({});
});

describe('the form in the database', () => {
	const stored = { workflowId: 'w', nodeId: 'n', ...until };

	it('names its node', () => {
		expect(memoryOf({ polledUntil: stored }).read()).toMatchObject(until);
	});

	it.each([
		undefined,
		'text',
		{ ...stored, at: 'soon' },
		{ ...stored, polls: undefined },
		{ ...stored, startFrom: 'never' },
	])('is none if it is %j', (polledUntil) => {
		expect(memoryOf({ polledUntil }).read()).toBeUndefined();
	});
});
