/** Faults in what the package learns of an execution. */
import { type Fault, fault } from './fault';

const HOOKS = 'n8n/execution/hooks.ts';

export const N8N: readonly Fault[] = [
	fault(
		'the end of an execution is not written',
		'n8n/execution/beginRun.ts',
		'if (hasBegun) await write(outcome);',
		'void write;',
	),
	fault('an execution that sleeps counts as failed', HOOKS, "\twaiting: 'asleep',\n", ''),
	fault(
		'an execution that was stopped counts as failed',
		HOOKS,
		"\tcanceled: 'canceled',\n",
		"\tcanceled: 'failed',\n",
	),
	fault(
		'an execution that n8n cannot save runs for ever',
		'n8n/execution/hooks.ts',
		"void report(isCanceled ? 'canceled' : 'lost');",
		'void isCanceled;',
	),
];
