/** A service that takes commands for stations, as the documented one does not, and the example's node for them turned on. */
import type { Simulator } from '../../../simulator';
import { type HttpService, startHttpService } from '../../support/httpService';
import type { FileNode } from './job';

export const COMMANDS = '/commands';

/** Answers everything but the commands as the simulator does; stop it when the test is over. */
export async function withCommands({ baseUrl }: Simulator): Promise<HttpService> {
	return await startHttpService(async ({ method, path, query, headers }) => {
		if (path === COMMANDS) return { body: {} };
		const search = new URLSearchParams(query).toString();
		const { authorization = '' } = headers;
		const answer = await fetch(`${baseUrl}${path}?${search}`, {
			method,
			headers: { authorization },
		});
		return { status: answer.status, body: await answer.text() };
	});
}

/** The node that sends resets as a person makes it work; any other one as it is. */
export function enabledReset(node: FileNode, url: string): FileNode {
	if (node['name'] !== 'Send reset') return node;
	expect(node['disabled']).toBe(true);
	return { ...node, disabled: false, parameters: { ...Object(node['parameters']), url } };
}
