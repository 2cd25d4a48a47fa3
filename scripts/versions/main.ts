/** `npm run test:versions`: the main job on the oldest and the newest supported n8n, one after the other. */
import { Command } from 'commander';
import { log, messageOf, runCommand } from '../command';
import { isRight, table } from '../demo/report';
import { installVersion } from './install';
import { doMainJob } from './mainJob';

/** The oldest that can be fully installed, the one of the end-to-end tests, and the newest supported one. */
const VERSIONS = ['2.11.2', '2.41.1', '2.41.3'];

async function main(): Promise<void> {
	const { args } = new Command('npm run test:versions --')
		.description(
			'Tries the main job on real n8n servers. The first run takes ten minutes per version.',
		)
		.argument('[versions...]', `of n8n; ${VERSIONS.join(', ')} by default`)
		.parse();
	const outcomes: string[] = [];
	for (const version of args.length > 0 ? args : VERSIONS) {
		const outcome = await tryVersion(version);
		if (outcome !== 'ok') process.exitCode = 1;
		outcomes.push(`n8n ${version.padEnd(8)} ${outcome}`);
	}
	console.log(`\n${outcomes.join('\n')}`);
}

async function tryVersion(version: string): Promise<string> {
	let bin: string;
	try {
		bin = await installVersion(version, log);
	} catch (error) {
		log(messageOf(error));
		return 'NOT TESTED: it could not be installed';
	}
	try {
		log(`Trying n8n ${version} ...`);
		const figures = await doMainJob(bin, log);
		console.log(`\nn8n ${version}\n${table(figures)}\n`);
		return figures.every(isRight) ? 'ok' : 'WRONG';
	} catch (error) {
		log(messageOf(error));
		return 'FAILED';
	}
}

runCommand(main);
