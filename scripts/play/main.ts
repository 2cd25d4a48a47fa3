/**
 * `npm run play -- FILE...`: plays recorded logs of OCPP messages through the Station Trigger, on a virtual clock, and through Get
 * Incidents, Get Sessions and Get Uptime, and prints where they differ from each other and from a plain computation, then counts.
 */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { MINUTE } from '../../test/unit/station/stationWorld';
import { runCommand } from '../command';
import { compared, type Compared } from './compare';
import { readLog } from './log';
import { toldOf } from './product';
import { shifted } from './shift';

interface Options {
	readonly day?: string;
	readonly zone?: string;
	readonly station?: string;
	readonly every: string;
	readonly all?: boolean;
}

const MOST_SHOWN = 20;

async function main(): Promise<void> {
	const command = new Command('npm run play --')
		.description(
			'Plays recorded OCPP messages (CSV, JSON, JSON lines or text; a column with the time, one with the station, one with the message as a JSON array) through the product, and compares it with a plain computation. Ends with 1 if they differ.',
		)
		.argument('<files...>', 'the logs, each by itself')
		.option('--day <date>', 'shift all times by whole days, so that the log begins on it')
		.option('--zone <offset>', 'of recorded times without one, such as +05:30 (default: UTC)')
		.option('--station <name>', 'of messages that name none (default: the name of the file)')
		.option('--every <minutes>', 'between two polls', '1')
		.option('--all', `print all differences, and not ${MOST_SHOWN} of each kind`)
		.parse();
	const options = command.opts<Options>();
	for (const file of command.args) {
		const log = readLog(readFileSync(file, 'utf8'), file, options);
		const lines = options.day === undefined ? log.lines : shifted(log.lines, options.day);
		if (lines.length === 0) throw new Error(`No OCPP message with a time was found in ${file}.`);
		const told = await toldOf(lines, Number(options.every) * MINUTE);
		const result = compared(lines, told);
		print(file, result, options.all ? Infinity : MOST_SHOWN);
		if (log.leftOut > 0) console.log(`${log.leftOut} records without a time or a message`);
		if (result.differences.length > 0) process.exitCode = 1;
	}
}

function print(file: string, { differences, counts }: Compared, most: number): void {
	console.log(`\n${file}`);
	for (const [of, all] of Object.entries(Object.groupBy(differences, (one) => one.of))) {
		const shown = all?.slice(0, most) ?? [];
		console.log(`${all?.length ?? 0} × ${of}`);
		for (const { text } of shown) console.log(`  ${text}`);
		if (all && all.length > shown.length) console.log(`  and ${all.length - shown.length} more`);
	}
	if (differences.length === 0) console.log('No differences');
	console.table(counts);
}

runCommand(main);
