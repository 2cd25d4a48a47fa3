/** Determines what the node does for an input item, before anything is sent. */
import type { ApiClient, ApiRecord } from '../../lib/service';
import { resources } from './resources';
import { parameter, parameterError, text, type InputItem } from './shared/parameters';
import type { OperationRun } from './shared/resource';

interface Plan {
	/** Whether it changes something at the service. */
	readonly changes: boolean;
	/** Resolves with the records. `client` is called only if there is a request to send. */
	readonly send: (client: () => Promise<ApiClient>) => Promise<ApiRecord[]>;
}

/** @throws for a parameter that a user has to correct. For an operation that changes something, this covers all parameters. */
export function planOf(item: Omit<OperationRun, 'client'>): Plan {
	const { operations } = chosen(item, 'resource', resources);
	const operation = chosen(item, 'operation', operations);
	if (operation.prepare) {
		const send = operation.prepare(item);
		return { changes: true, send: async (client) => await send(await client()) };
	}
	if (operation.runLocally) return { changes: false, send: () => operation.runLocally(item) };
	return {
		changes: false,
		send: async (client) => await operation.run({ ...item, client: await client() }),
	};
}

/** The choice of the parameter with this name. */
function chosen<T>(
	item: InputItem,
	name: 'resource' | 'operation',
	choices: Readonly<Record<string, T>>,
): T {
	const value = parameter(item, name, text);
	const choice = Object.hasOwn(choices, value) ? choices[value] : undefined;
	if (choice !== undefined) return choice;
	throw parameterError(
		item,
		`Unknown ${name} '${value}'`,
		`Use one of ${Object.keys(choices).join(', ')}.`,
	);
}
