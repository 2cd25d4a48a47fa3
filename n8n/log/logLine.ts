/** A line for n8n's log, with the node and the workflow. */
import type { FunctionsBase } from 'n8n-workflow';
import { printable } from '../../lib/shared/text';

/** For example: Asset Service Trigger "Events" in workflow 7: the message. */
export function logLine(
	context: Pick<FunctionsBase, 'getNode' | 'getWorkflow'>,
	message: string,
): string {
	const { name, type } = context.getNode();
	const { id = '(not saved)' } = context.getWorkflow();
	// The name of the package and a dot, then the name of the node in camel case.
	const words = type.slice(type.lastIndexOf('.') + 1).replace(/[A-Z]/g, ' $&');
	const kind = printable(words.charAt(0).toUpperCase() + words.slice(1));
	return `${kind} "${printable(name)}" in workflow ${printable(id)}: ${printable(message, 1000)}`;
}
