import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';
import { eventTypeFilter, readConditions } from '../../../../lib/event';
import { REASONS, type RefusalReason } from '../../../../lib/receiver';
import { sentence } from '../../../../lib/shared/text';
import { endOrListenOn, testItems, withIgnored } from '../../../../n8n/webhook/testEvent';

const refused = (reason: RefusalReason, detail = REASONS[reason].advice) => ({
	...{ start: false as const, response: { status: 401, body: { status: 'rejected' } } },
	log: { reason, detail },
});
const duplicate = {
	start: false as const,
	response: { status: 200, body: { status: 'duplicate' } },
};

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
describe('a user who listens for a test event', () => {
	it.each([
		[
			refused('signature_mismatch'),
			'Delivery rejected: its signature does not match',
			`${sentence(REASONS.signature_mismatch.advice)} (Log code: signature_mismatch)`,
		],
		[
			refused('event_invalid'),
			'Delivery rejected: the body is not a JSON object with an ID',
			`${sentence(REASONS.event_invalid.advice)} (Log code: event_invalid)`,
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

	it.each(Object.keys(REASONS).filter((reason) => reason !== 'ignored'))(
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

	it('sees nothing but the event where none was ignored', () => {
		const node = listening();
		expect(node.execute(node.start('a'))).toEqual([{ json: { id: 'a' } }]);
		expect(node.execute([])).toEqual([]);
		expect(node.hints).toEqual([]);
	});
});
