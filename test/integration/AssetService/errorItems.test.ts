import { WorkflowExecute } from 'n8n-core';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { stopWorlds, type World } from '../../unit/service/world';
import { containing, perItem, picky, run, serving } from './runs';

afterEach(stopWorlds);

const input = ['we_1', 'we_bad', 'we_2'].map((endpoint) => ({ endpoint }));

/** The check in n8n before 2.35.5 that routes an item to the error output, as in n8n-core 2.11.1. */
const isErrorToOlder = ({ json, error }: INodeExecutionData): boolean => {
	const keys = Object.keys(json).length;
	if (error) return true;
	return Boolean(json['error'] && (keys === 1 || (json['message'] && keys === 2)));
};

interface Router {
	handleNodeErrorOutput: (
		this: Router,
		...args: [unknown, unknown, INodeExecutionData[][]]
	) => void;
}

it('goes to the error output of every supported n8n, with its input', async () => {
	const world = await picky('del_1');
	const handed: INodeExecutionData[] = [];
	const prototype = WorkflowExecute.prototype as unknown as Router;
	const installed = prototype.handleNodeErrorOutput;
	const router = jest.spyOn(prototype, 'handleNodeErrorOutput').mockImplementation(function (
		this: Router,
		...args
	) {
		// The core removes the items from the list.
		handed.push(...args[2].flat());
		installed.apply(this, args);
	});
	const { items, errorItems } = await run(world, perItem, {
		input,
		onError: 'continueErrorOutput',
	});
	router.mockRestore();

	expect(handed.map(isErrorToOlder)).toEqual([false, true, false]);
	expect(items.map(({ json }) => json)).toMatchObject([{ id: 'del_1' }, { id: 'del_1' }]);
	expect(errorItems.map(({ json }) => json)).toEqual([
		{
			endpoint: 'we_bad',
			error: containing('unknown endpoint'),
			message: containing('Check the endpoint ID'),
		},
	]);
});

describe('what can be branched on after the error output', () => {
	const branchOn = async (world: World, parameters: INodeParameters, readErrors: string) =>
		(await run(world, parameters, { input, onError: 'continueErrorOutput', readErrors })).read;

	it('is the status', async () => {
		const world = await picky('del_1');
		expect(await branchOn(world, perItem, '={{ $input.item.failure.status }}')).toEqual([404]);
	});

	it('is the code if there was no response', async () => {
		const world = await serving((_request, { request }) => {
			request.socket.destroy();
			return undefined;
		});
		const remove = { ...perItem, resource: 'webhookEndpoint', operation: 'delete' };
		const codes = await branchOn(world, remove, '={{ $input.item.failure.code }}');
		expect(codes).toEqual(input.map(() => expect.stringMatching(/^(ECONN|UND_ERR)/) as string));
	});
});

it('that a parameter causes has no status, and says what to do', async () => {
	const world = await picky('del_1');
	const { items } = await run(
		world,
		{ ...perItem, endpointId: '={{ "" }}' },
		{ onError: 'continueRegularOutput' },
	);
	expect(items).toEqual([
		{
			json: {
				error: "'Endpoint' is empty",
				message: 'Enter the endpoint ID, or a URL that contains it.',
			},
			pairedItem: { item: 0 },
		},
	]);
});
