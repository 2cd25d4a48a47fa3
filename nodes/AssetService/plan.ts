/** Finds out what the node is to do for an input item, before anything is sent. */
import { resources } from './resources';
import { parameter, parameterError, text, type InputItem } from './shared/parameters';
import type { Operation, Run } from './shared/resource';

interface Plan {
	/** Whether it changes something at the service. */
	readonly changes: boolean;
	readonly send: ReturnType<NonNullable<Operation['prepare']>>;
}

/** @throws for a parameter that a person has to correct: of an operation that changes something, for each of them. */
export function planOf(item: Omit<Run, 'client'>): Plan {
	const { operations } = chosen(item, 'resource', resources);
	const operation = chosen(item, 'operation', operations);
	return operation.prepare
		? { changes: true, send: operation.prepare(item) }
		: { changes: false, send: (client) => operation.run({ ...item, client }) };
}

/** What the parameter of this name chooses. */
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
		`There is no ${name} “${value}”.`,
		`Choose one of ${Object.keys(choices).join(', ')}.`,
	);
}
