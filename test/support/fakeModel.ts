/** A fake chat model behind an OpenAI-compatible API: it makes the planned tool calls for what it is asked, then ends. */
import { z } from 'zod/v4';
import { type HttpService, startHttpService } from './httpService';

export interface PlannedCall {
	/** Part of the tool's name, which n8n derives from the node's name; or what only its description says. */
	readonly tool: string | RegExp;
	/** May depend on the results of the calls before. */
	readonly input: Input | ((results: readonly string[]) => Input);
}

type Input = Readonly<Record<string, unknown>>;

/** A tool as n8n describes it to a model. */
export type ModelTool = Conversation['tools'][number]['function'];

interface FakeModel {
	/** As the `url` of n8n's OpenAI credential. */
	readonly url: string;
	/** Results of the tools, in order of the calls. */
	readonly results: () => readonly string[];
	/** Those that the model was offered last. */
	readonly tools: () => readonly ModelTool[];
	/** Everything that was ever sent to the model. */
	readonly heard: () => string;
	stop(): Promise<void>;
}

export const LAST_WORDS = 'That is all.';

const Tool = z.looseObject({
	name: z.string(),
	description: z.string(),
	parameters: z.looseObject({ properties: z.record(z.string(), z.unknown()) }),
});
const Conversation = z.looseObject({
	messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
	tools: z.array(z.looseObject({ function: Tool })).default([]),
});
type Conversation = z.infer<typeof Conversation>;

/** `plan`: the calls for what a user asks. */
export async function startFakeModel(
	plan: readonly PlannedCall[] | ((question: string) => readonly PlannedCall[]),
): Promise<FakeModel> {
	const service: HttpService = await startHttpService(({ path, body }) => {
		if (path !== '/v1/chat/completions') return { status: 404 };
		const conversation = Conversation.parse(JSON.parse(body));
		const calls = typeof plan === 'function' ? plan(questionIn(conversation)) : plan;
		return { body: completion(nextMessage(conversation, calls)) };
	});
	const last = () => Conversation.parse(JSON.parse(service.requests.at(-1)?.body ?? '{}'));
	return {
		url: `${service.url}/v1`,
		results: () => resultsIn(last()),
		tools: () => last().tools.map((tool) => tool.function),
		heard: () => service.requests.map(({ body }) => body).join('\n'),
		stop: () => service.stop(),
	};
}

const toolMessages = ({ messages }: Conversation) => messages.filter(({ role }) => role === 'tool');

const resultsIn = (conversation: Conversation) =>
	toolMessages(conversation).map(({ content }) => textOf(content));

const questionIn = ({ messages }: Conversation) =>
	textOf(messages.findLast(({ role }) => role === 'user')?.content);

const textOf = (content: unknown): string =>
	typeof content === 'string' ? content : JSON.stringify(content);

/** The next planned call without a result; after all of them, the final message. */
function nextMessage(conversation: Conversation, calls: readonly PlannedCall[]): object {
	const results = resultsIn(conversation);
	const call = calls[results.length];
	if (!call) return { role: 'assistant', content: LAST_WORDS };
	const tools = conversation.tools.map((tool) => tool.function);
	const { tool: wanted, input } = call;
	const fitting = tools.filter(({ name, description }) =>
		typeof wanted === 'string' ? name.includes(wanted) : wanted.test(description),
	);
	const [tool, ...others] = fitting;
	if (tool === undefined || others.length > 0) {
		const all = tools.map(({ name, description }) => `${name}: ${description}`).join(', ');
		throw new Error(`${fitting.length} tools fit '${wanted}', among ${all}.`);
	}
	return {
		role: 'assistant',
		content: null,
		tool_calls: [
			{
				id: `call_${results.length}`,
				type: 'function',
				function: {
					name: tool.name,
					arguments: JSON.stringify(typeof input === 'function' ? input(results) : input),
				},
			},
		],
	};
}

function completion(message: object): object {
	const reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
	return {
		...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'fake' },
		choices: [{ index: 0, message, finish_reason: reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
