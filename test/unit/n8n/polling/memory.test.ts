import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { staticMemory } from '../../../../n8n/polling/runPoll';

let nodes = 0;
const memoryOf = (data: IDataObject, { workflowId = 'w', nodeId = `n${nodes}` } = {}) =>
	staticMemory({
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ id: nodeId }),
		getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
	} as unknown as IPollFunctions);

const until = { as: 'now', publishedAt: 1, at: 5, polls: 3 } as const;

// The process remembers each node.
beforeEach(() => {
	nodes += 1;
});

it.each(['now', 'retained'] as const)('keeps up to when the node has polled, from %s', (as) => {
	const data = {};
	memoryOf(data).write({ ...until, as });
	expect(memoryOf(data).read(as)).toMatchObject({ ...until, as });
	expect(memoryOf(data).read('another choice')).toBeUndefined();
});

it.each([{ workflowId: 'a copy' }, { nodeId: 'another' }])('is not that of %j', (other) => {
	const data = {};
	memoryOf(data).write(until);
	expect(memoryOf(data, other).read('now')).toBeUndefined();
});

it('is the later of the static data and of what the process knows, since n8n saves late', () => {
	const saved = { workflowId: 'w', nodeId: `n${nodes}`, ...until };
	const data = { polledUntil: saved };
	memoryOf(data).write({ ...until, at: 7, polls: 4 });
	expect(memoryOf({ polledUntil: saved }).read('now')).toMatchObject({ at: 7, polls: 4 });
	const later = { ...saved, at: 9, polls: 5 };
	expect(memoryOf({ polledUntil: later }).read('now')).toMatchObject({ at: 9, polls: 5 });
});

it('assigns nothing that is there already: n8n would write all static data of the workflow', () => {
	const data: IDataObject = {};
	memoryOf(data).write(until);
	const kept = data['polledUntil'];
	memoryOf(data).write({ ...until });
	expect(data['polledUntil']).toBe(kept);
	for (const change of [{ at: 6 }, { polls: 4 }, { as: 'retained' }] as const) {
		memoryOf(data).write({ ...until, ...change });
		expect(data['polledUntil']).toMatchObject({ ...until, ...change });
	}
});

it('does not change the static data once it is closed', () => {
	const data = {};
	const memory = memoryOf(data);
	memory.close();
	memory.write(until);
	expect(data).toEqual({});
	expect(memory.read('now')).toEqual(until);
});

describe('the form in the database', () => {
	const stored = () => ({ workflowId: 'w', nodeId: `n${nodes}`, ...until });

	it('names its node', () => {
		expect(memoryOf({ polledUntil: stored() }).read('now')).toMatchObject(until);
	});

	it.each([
		() => undefined,
		() => 'text',
		() => ({ ...stored(), at: 'soon' }),
		() => ({ ...stored(), polls: undefined }),
		() => ({ ...stored(), as: 1 }),
	])('is none if it cannot be read', (polledUntil) => {
		expect(memoryOf({ polledUntil: polledUntil() }).read('now')).toBeUndefined();
	});
});
