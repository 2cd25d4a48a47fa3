/** A fake chat model behind an OpenAI-compatible API: it makes the planned tool calls, then ends. */
import { z } from 'zod/v4';
import { type HttpService, startHttpService } from './httpService';

interface PlannedCall {
	/** Part of the tool's name, which n8n derives from the node's name. */
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
}

interface FakeModel {
	/** As the `url` of n8n's OpenAI credential. */
	readonly url: string;
	/** Results of the tools, in order of the calls. */
	readonly results: () => readonly string[];
	/** Everything that was ever sent to the model. */
	readonly heard: () => string;
	stop(): Promise<void>;
}

export const LAST_WORDS = 'That is all.';

const Conversation = z.looseObject({
	messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
	tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
type Conversation = z.infer<typeof Conversation>;

export async function startFakeModel(calls: readonly PlannedCall[]): Promise<FakeModel> {
	const service: HttpService = await startHttpService(({ path, body }) => {
		if (path !== '/v1/chat/completions') return { status: 404 };
		return { body: completion(nextMessage(Conversation.parse(JSON.parse(body)), calls)) };
	});
	return {
		url: `${service.url}/v1`,
		results: () => {
			const last = Conversation.parse(JSON.parse(service.requests.at(-1)?.body ?? '{}'));
			return toolMessages(last).map(({ content }) => textOf(content));
		},
		heard: () => service.requests.map(({ body }) => body).join('\n'),
		stop: () => service.stop(),
	};
}

const toolMessages = ({ messages }: Conversation) => messages.filter(({ role }) => role === 'tool');

const textOf = (content: unknown): string =>
	typeof content === 'string' ? content : JSON.stringify(content);

/** The next planned call without a result; after all of them, the final message. */
function nextMessage(conversation: Conversation, calls: readonly PlannedCall[]): object {
	const made = toolMessages(conversation).length;
	const call = calls[made];
	if (!call) return { role: 'assistant', content: LAST_WORDS };
	const names = conversation.tools.map((tool) => tool.function.name);
	const name = names.find((candidate) => candidate.includes(call.tool));
	if (name === undefined) throw new Error(`No tool '${call.tool}' among ${names.join(', ')}.`);
	return {
		role: 'assistant',
		content: null,
		tool_calls: [
			{
				id: `call_${made}`,
				type: 'function',
				function: { name, arguments: JSON.stringify(call.input) },
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
