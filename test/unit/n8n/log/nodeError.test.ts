import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';
import { ApiError } from '../../../../lib/service';
import { PackageError } from '../../../../lib/shared/errors';
import { isFinal, toNodeError, toTriggerError } from '../../../../n8n/log/nodeError';

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

describe('an error of a publication, of which n8n shows only the message', () => {
	it('says what to do in its message', () => {
		const error = toTriggerError(node, new ApiError('It said no', { hint: 'Ask.', status: 401 }));
		expect(error).toMatchObject({
			message: 'It said no. Ask.',
			description: null,
			httpCode: '401',
		});
		expect(toTriggerError(node, new Error('It said no')).message).toBe('It said no');
	});

	it.each([
		[
			'a rejected client',
			new ApiError('No', { hint: '', status: 401, field: 'clientSecret' }),
			true,
		],
		['a missing scope', new ApiError('No', { hint: '', status: 403 }), true],
		['an empty field', new ApiError('No', { hint: '', field: 'audience' }), true],
		['settings that cannot work', new PackageError('No', { isFinal: true }), true],
		['a parameter that cannot work', new NodeOperationError(node, 'No'), true],
		['a busy service', new ApiError('No', { hint: '', status: 429 }), false],
		['a broken service', new ApiError('No', { hint: '', status: 500 }), false],
		['no service', new ApiError('No', { hint: '', field: 'authUrl', unreachable: true }), false],
		['another failure of ours', new PackageError('No'), false],
		['a failure of n8n', new Error('No'), false],
	])('is final after %s: %#', (_name, error, expected) => {
		expect(isFinal(error)).toBe(expected);
	});
});
