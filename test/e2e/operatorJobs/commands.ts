/** Enables the nodes that send commands in the examples, as a user does. */
import { z } from 'zod/v4';
import type { FileNode } from './job';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const Request = z.looseObject({ url: z.string(), options: z.looseObject({}) });

/** Puts the Base URL into the URL of the node; leaves other nodes unchanged. `timeout` is in milliseconds. */
export function enabledCommands(node: FileNode, baseUrl: string, timeout = 20_000): FileNode {
	if (node.type !== HTTP_REQUEST) return node;
	expect(node['disabled']).toBe(true);
	const { url, options, ...parameters } = Request.parse(node['parameters']);
	return {
		...{ ...node, disabled: false },
		parameters: {
			...{ ...parameters, url: url.replace('https://replace-me.example', baseUrl) },
			options: { ...options, timeout },
		},
	};
}
