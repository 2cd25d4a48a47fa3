import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { ApiError } from '../../../../lib/service';
import { toNodeError } from '../../../../n8n/log/nodeError';

const node: INode = {
	id: 'n',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

describe('an error of the client', () => {
	it('becomes an API error with status, message, description and item', () => {
		const error = toNodeError(node, new ApiError('It said no.', { hint: 'Ask.', status: 403 }), 2);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error).toMatchObject({
			message: 'It said no.',
			description: 'Ask.',
			httpCode: '403',
			context: { itemIndex: 2 },
		});
	});

	it.each([
		['an API error without a status without a response', 'baseUrl', NodeApiError],
		['an operation error when the request itself was at fault', undefined, NodeOperationError],
	] as const)('becomes %s', (_name, field, expected) => {
		const error = toNodeError(node, new ApiError('It said no.', { hint: 'Ask.', field }));
		expect(error).toBeInstanceOf(expected);
		expect(error).toMatchObject({ message: 'It said no.', description: 'Ask.' });
		if (field) expect(error).toHaveProperty('httpCode', null);
	});

	it('keeps its message where n8n would put a general one', () => {
		for (const status of [undefined, 500]) {
			const message = 'https://superman.example ECONNREFUSED answered';
			expect(toNodeError(node, new ApiError(message, { hint: 'Wait.', status })).message).toBe(
				message,
			);
		}
	});

	it('of n8n stays what it is', () => {
		const error = new NodeOperationError(node, 'as it was');
		expect(toNodeError(node, error)).toBe(error);
	});

	it('of another kind becomes an operation error with its message', () => {
		expect(toNodeError(node, new Error('odd'), 1)).toMatchObject({
			name: 'NodeOperationError',
			message: 'odd',
			context: { itemIndex: 1 },
		});
		expect(toNodeError(node, 'text').message).toBe('text');
	});
});
