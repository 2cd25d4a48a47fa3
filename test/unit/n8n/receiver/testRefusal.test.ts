import type { IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import { ignored, refused } from '../../../../lib/receiver/verdict';
import { testRefusal, throwTestRefusal } from '../../../../n8n/receiver/testRefusal';

/** What the node throws when a run begins with these items. */
const thrownFor = (items: unknown, mode = 'manual'): NodeOperationError | undefined => {
	const context = {
		getMode: () => mode,
		getInputData: () => items,
		getNode: () => ({ name: 'Trigger' }),
	};
	try {
		throwTestRefusal(context as unknown as IExecuteFunctions);
		return undefined;
	} catch (error) {
		return error as NodeOperationError;
	}
};

describe('a person who listens for a test event', () => {
	it.each([
		[refused('event_invalid'), 'A delivery came and was refused', 'The reason is event_invalid.'],
		[
			refused('busy', 'come\nlater'),
			'A delivery came and was refused',
			'The reason is busy: come\ufffdlater.',
		],
		[
			ignored('its type is not wanted'),
			'An event came and was ignored',
			'It would not start the workflow, since its type is not wanted.',
		],
	])('sees why a delivery does not start the workflow', (verdict, message, description) => {
		const [items] = testRefusal(verdict).workflowData ?? [];
		expect(thrownFor(items)).toMatchObject({ message, description });
		// Outside a test the item means nothing.
		expect(thrownFor(items, 'webhook')).toBeUndefined();
	});

	it('sees no error of an event that starts it', () => {
		expect(thrownFor([{ json: { id: 'whevt_1', refused: true } }])).toBeUndefined();
		expect(thrownFor([])).toBeUndefined();
	});
});
