import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { staticMemory } from '../../../../n8n/poll/memory';

const memoryOf = (data: IDataObject, { workflowId = 'w', nodeId = 'n' } = {}) =>
	staticMemory({
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ id: nodeId }),
		getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
	} as unknown as IPollFunctions);

const until = { startFrom: 'now', at: 5 } as const;

it.each(['now', 'retained'] as const)(
	'keeps up to when the node has polled, from %s',
	(startFrom) => {
		const data = {};
		memoryOf(data).write({ startFrom, at: 5 });
		expect(memoryOf(data).read()).toMatchObject({ startFrom, at: 5 });
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
	memoryOf(data).write({ ...until, at: 6 });
	expect(memoryOf(data).read()?.at).toBe(6);
	memoryOf(data).write({ startFrom: 'retained', at: 6 });
	expect(memoryOf(data).read()?.startFrom).toBe('retained');
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

	it('is that of earlier versions', () => {
		expect(memoryOf({ polledUntil: stored }).read()).toMatchObject(until);
	});

	it.each([undefined, 'text', { ...stored, at: 'soon' }, { ...stored, startFrom: 'never' }])(
		'is none if it is %j',
		(polledUntil) => {
			expect(memoryOf({ polledUntil }).read()).toBeUndefined();
		},
	);
});
