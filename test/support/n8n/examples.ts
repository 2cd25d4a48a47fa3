/** The example workflows, imported and executed as by a user. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Simulator } from '../../../simulator';
import { MANUAL_TYPE, SCHEDULE_TYPE } from '../nodes';
import { apiCredential } from './credentials';
import type { Execution } from './responses';
import type { N8nClient } from './rest';

const FOLDER = join(__dirname, '..', '..', '..', 'examples');

export const EXAMPLES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** The content of an example, with the replacements that its note asks for. */
export function example(
	file: string,
	replacements: Readonly<Record<string, string>> = {},
): unknown {
	let text = readFileSync(join(FOLDER, file), 'utf8');
	for (const [placeholder, value] of Object.entries(replacements)) {
		text = text.replaceAll(`"${placeholder}"`, JSON.stringify(value));
	}
	return JSON.parse(text);
}

/** Executes an example without an event trigger manually, and returns the execution once it has succeeded. */
export async function runExample(
	client: N8nClient,
	simulator: Simulator,
	file: string,
	replacements: Readonly<Record<string, string>> = {},
): Promise<Execution> {
	const credential = await client.createCredential(apiCredential(simulator));
	const workflow = await client.importWorkflow(example(file, replacements), [credential]);
	const start = [MANUAL_TYPE, SCHEDULE_TYPE]
		.map((wanted) => workflow.nodes.find(({ type }) => type === wanted))
		.find((node) => node !== undefined);
	if (!start) throw new Error(`${file} cannot be started by hand.`);
	const execution = await client.waitForExecution(
		await client.runManually(workflow.id, start.name),
	);
	if (execution.status !== 'success') {
		throw new Error(`${file}: ${execution.data.resultData.error?.message ?? execution.status}`);
	}
	return execution;
}
