/** `npm run docs:pictures`: takes the pictures of README and docs anew, of a real n8n with the packed package. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import type { Log } from '../../test/support/log';
import { createCamera, PICTURES } from './camera';
import { PANELS } from './panels';
import { EXAMPLES, openStudio, type Studio } from './studio';

const started = performance.now();

function log(line: string): void {
	const seconds = Math.round((performance.now() - started) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
}

async function main(): Promise<void> {
	const { args } = new Command('npm run docs:pictures --')
		.description(`Writes pictures into ${PICTURES}: of each example's canvas, and of the panels.`)
		.argument('[names...]', 'only the pictures whose names contain one of these')
		.parse();
	const wanted = (name: string): boolean =>
		args.length === 0 || args.some((part) => name.includes(part));

	const studio = await openStudio(log);
	try {
		await takeAll(studio, wanted, log);
	} finally {
		await studio.close();
	}
}

async function takeAll(studio: Studio, wanted: (name: string) => boolean, say: Log): Promise<void> {
	const camera = createCamera(studio.editor.page);
	const examples = readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
	for (const file of examples.filter((each) => wanted(basename(each, '.json')))) {
		say(file);
		const { id } = await studio.importExample(file);
		await studio.editor.openWorkflow(id);
		await camera.takeCanvas(basename(file, '.json'));
	}
	for (const [name, shoot] of Object.entries(PANELS).filter(([each]) => wanted(each))) {
		say(name);
		await shoot(name, camera, studio);
	}
	const { errors } = studio.editor;
	if (errors.length > 0) throw new Error(`The editor reported errors: ${errors.join('; ')}`);
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
});
