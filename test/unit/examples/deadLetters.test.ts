/** The result of the job "Dead letters" from n8n's executions and the states of their events. */
import { runInNewContext } from 'node:vm';
import { z } from 'zod/v4';
import { example } from '../../support/n8n/examples';

const Nodes = z.object({
	nodes: z.array(
		z.object({ name: z.string(), parameters: z.object({ jsCode: z.string().optional() }) }),
	),
});
const Letters = z.array(
	z.object({
		json: z.object({
			executionId: z.string(),
			status: z.string(),
			state: z.string(),
			link: z.string(),
			events: z.array(z.looseObject({ id: z.string() })),
		}),
	}),
);

const code = Nodes.parse(example('dead-letters.json')).nodes.find(
	({ name }) => name === 'Dead letters',
)?.parameters.jsCode;

const SETTINGS = { n8nUrl: 'https://n8n.test/', workflowId: 'flow' };

type Json = Readonly<Record<string, unknown>>;

/** Each execution with the IDs of its events. */
function deadLetters(executions: readonly Json[], events: readonly Json[]) {
	const itemsOf = (all: readonly Json[]) => all.map((json) => ({ json }));
	const items: Readonly<Record<string, ReturnType<typeof itemsOf>>> = {
		Settings: itemsOf([SETTINGS]),
		'Get executions': itemsOf(executions),
	};
	const result: unknown = runInNewContext(`(() => { ${code ?? ''} })()`, {
		$: (name: string) => ({ all: () => items[name], first: () => items[name]?.[0] }),
		$input: { all: () => itemsOf(events) },
	});
	return Letters.parse(result).map(({ json }) => json);
}

const event = (id: string, executionId?: string, state = 'failed'): Json => ({
	...{ id, state, attempts: 1, begunAt: '2026-01-01T00:00:00.000Z', endedAt: null },
	...(executionId !== undefined && { executionId }),
});
const execution = (id: string, status: string, more: Json = {}): Json => ({
	...{ id, status, finished: false, retryOf: null, retrySuccessId: null, ...more },
});

it.each(['error', 'crashed', 'canceled'])(
	'takes an event whose execution has the status %s',
	(status) => {
		expect(deadLetters([execution('7', status)], [event('one', '7')])).toEqual([
			{
				...{ executionId: '7', status, state: 'failed' },
				link: 'https://n8n.test/workflow/flow/executions/7',
				events: [{ id: 'one', attempts: 1 }],
			},
		]);
	},
);

it('takes an execution of several events once', () => {
	const [letter, ...others] = deadLetters(
		[execution('7', 'error')],
		[event('one', '7', 'failed'), event('two', '7', 'failed')],
	);
	expect(others).toEqual([]);
	expect(letter?.events.map(({ id }) => id)).toEqual(['one', 'two']);
});

it.each([
	['has begun in another execution since', [execution('7', 'error')], event('one', '8')],
	['is done', [execution('7', 'error')], event('one', '7', 'done')],
	['runs', [execution('7', 'running')], event('one', '7', 'running')],
	['waits to run again', [execution('7', 'error')], event('one', '7', 'stored')],
	['has begun in no execution', [execution('7', 'error')], event('one')],
	['has succeeded in a retry', [execution('7', 'error', { retrySuccessId: '8' })], event('1', '7')],
	[
		'has succeeded in the retry of a retry',
		[execution('7', 'error'), execution('8', 'error', { retryOf: '7', retrySuccessId: '9' })],
		event('one', '7'),
	],
	[
		'has succeeded in a retry that n8n shows as failed, as after a cancellation',
		[execution('8', 'error', { finished: true, retryOf: '7' })],
		event('one', '8'),
	],
	[
		'is being retried',
		[execution('7', 'error'), execution('8', 'waiting', { retryOf: '7' })],
		event('one', '7'),
	],
])('leaves out an event that %s', (_what, executions, one) => {
	expect(deadLetters(executions, [one])).toEqual([]);
});

it('links to the latest retry', () => {
	const executions = [
		execution('10', 'crashed', { retryOf: '9' }),
		execution('9', 'error', { retryOf: '7' }),
		execution('7', 'canceled'),
	];
	const [letter] = deadLetters(executions, [event('one', '7')]);
	expect(letter).toMatchObject({ executionId: '10', status: 'crashed' });
});
