import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { eventTypeFilter, readConditions } from '../../../../lib/event';
import { ADVICE, type RefusalReason } from '../../../../lib/receiver';
import { duplicate, ignored, refused } from '../../../../lib/receiver/verdict';
import { sentence } from '../../../../lib/shared/text';
import { endOrListenOn, testItems, withIgnored } from '../../../../n8n/webhook/testEvent';

let next = 0;
/** A node with which a user listens for events of type `a`. */
const listening = () => {
	const nodeId = `node-${(next += 1)}`;
	const hints: unknown[] = [];
	const context = {
		getNode: () => ({ id: nodeId, name: 'Trigger' }),
		getWorkflow: () => ({ id: 'workflow' }),
		addExecutionHints: (hint: unknown) => hints.push(hint),
	};
	const wanted = { isWantedType: eventTypeFilter(['a']), conditions: readConditions({}) };
	return {
		hints,
		end: (verdict: Parameters<typeof endOrListenOn>[1]) =>
			endOrListenOn(context as unknown as IWebhookFunctions, verdict, wanted),
		start: (...ids: string[]) =>
			withIgnored(
				context as unknown as IWebhookFunctions,
				ids.map((id) => ({ json: { id } })),
				wanted,
			),
		execute: (items: unknown) =>
			testItems({ ...context, getInputData: () => items } as unknown as IExecuteFunctions),
	};
};
const other = ignored({ id: '1', type: 'b', record: {} });
const COUNTED =
	"2 events were ignored while listening. Nearest: type 'b' is not among 'Trigger On'.";

describe('a user who listens for a test event', () => {
	it.each([
		[
			refused('signature_mismatch'),
			'Delivery rejected: its signature does not match',
			`${sentence(ADVICE.signature_mismatch)} (Log code: signature_mismatch)`,
		],
		[
			refused('event_invalid'),
			'Delivery rejected: the body is not a JSON object with an ID',
			`${sentence(ADVICE.event_invalid)} (Log code: event_invalid)`,
		],
		[
			refused('not_configured', 'first\nline. Second.'),
			'Delivery rejected: the node has no usable signing secret, or a condition that can never match',
			'First\ufffdline. Second. (Log code: not_configured)',
		],
	])('sees why a delivery is rejected', (verdict, message, description) => {
		const node = listening();
		const { workflowData = [] } = node.end(verdict);
		expect(() => node.execute(workflowData[0])).toThrow(message);
		expect(() => node.execute(workflowData[0])).toThrow(
			expect.objectContaining({ description }) as Error,
		);
	});

	it.each(Object.keys(ADVICE).filter((reason) => reason !== 'ignored'))(
		'sees words for %s',
		(reason) => {
			const node = listening();
			const { workflowData = [] } = node.end(refused(reason as RefusalReason));
			expect(() => node.execute(workflowData[0])).toThrow(/^Delivery rejected: \w+ \w/);
		},
	);

	it('sees nothing of a duplicate, and continues listening', () => {
		expect(listening().end(duplicate)).toEqual({});
	});

	it('sees only the events since the last test', () => {
		const node = listening();
		node.end(other);
		node.start('a');
		expect(node.end(other)).toEqual({
			reason: "1 event was ignored while listening. Nearest: type 'b' is not among 'Trigger On'.",
		});
	});

	it('continues listening while events are ignored, and sees them with the event that starts the workflow', () => {
		const node = listening();
		node.end(other);
		expect(node.end(other)).toEqual({ reason: COUNTED });
		expect(node.execute(node.start('a', 'b'))).toEqual([
			{ json: { id: 'a' } },
			{ json: { id: 'b' } },
		]);
		expect(node.hints).toEqual([{ message: COUNTED, type: 'info', location: 'outputPane' }]);
	});

	it('sees why the fifth ignored event does not match, and then counts again', () => {
		const node = listening();
		for (let n = 1; n < 5; n++) expect(node.end(other).workflowData).toBeUndefined();
		const { workflowData = [], reason } = node.end(other);
		expect(reason).toContain('5 events were ignored');
		expect(() => node.execute(workflowData[0])).toThrow(
			"No event matched the trigger: type 'b' is not among 'Trigger On'",
		);
		expect(() => node.execute(workflowData[0])).toThrow(
			expect.objectContaining({
				description: expect.stringMatching(/listen again.* 5 events were ignored/) as string,
			}) as Error,
		);
		expect(node.end(other).reason).toContain('1 event was ignored');
	});

	it('sees them with a delivery that is rejected', () => {
		const node = listening();
		node.end(other);
		node.end(other);
		const { workflowData = [] } = node.end(refused('event_invalid'));
		const description = `${sentence(ADVICE.event_invalid)} (Log code: event_invalid) ${COUNTED}`;
		expect(() => node.execute(workflowData[0])).toThrow(
			expect.objectContaining({ description }) as Error,
		);
	});

	it('sees nothing but the event where none was ignored', () => {
		const node = listening();
		expect(node.execute(node.start('a'))).toEqual([{ json: { id: 'a' } }]);
		expect(node.execute([])).toEqual([]);
		expect(node.hints).toEqual([]);
	});
});
