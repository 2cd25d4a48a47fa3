/** Faults in what the package learns of an execution. */
import { type Fault, fault } from './fault';

const END = 'n8n/execution/beginRun.ts';

export const N8N: readonly Fault[] = [
	fault(
		'the end of an execution is not written',
		'n8n/execution/beginRun.ts',
		'if (hasBegun) await write(outcome);',
		'void write;',
	),
	fault('an execution that sleeps counts as failed', END, "\twaiting: 'asleep',\n", ''),
	fault(
		'an execution that was stopped counts as failed',
		END,
		"\tcanceled: 'canceled',\n",
		"\tcanceled: 'failed',\n",
	),
	fault(
		'an execution that n8n cannot save runs for ever',
		END,
		"if (!isOver) void report('lost');",
		'void isOver;',
	),
];
