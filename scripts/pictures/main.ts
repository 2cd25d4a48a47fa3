/** `npm run docs:pictures`: retakes the pictures of README and docs, in a real n8n with the packed package. */
import { basename } from 'node:path';
import { Command } from 'commander';
import { EXAMPLES } from '../../test/support/n8n/examples';
import { log, runCommand } from '../command';
import { createCamera, PICTURES } from './camera';
import { PANELS } from './panels';
import { openStudio, type Studio } from './studio';

async function main(): Promise<void> {
	const { args } = new Command('npm run docs:pictures --')
		.description(`Writes pictures of each example's canvas and of the panels to ${PICTURES}.`)
		.argument('[names...]', 'only the pictures whose names contain one of these')
		.parse();
	const wanted = (name: string): boolean =>
		args.length === 0 || args.some((part) => name.includes(part));

	const studio = await openStudio(log);
	try {
		await takeAll(studio, wanted);
	} finally {
		await studio.close();
	}
}

async function takeAll(studio: Studio, wanted: (name: string) => boolean): Promise<void> {
	const camera = createCamera(studio.editor.page);
	for (const file of EXAMPLES.filter((each) => wanted(basename(each, '.json')))) {
		log(file);
		const { id } = await studio.importExample(file);
		await studio.editor.openWorkflow(id);
		await camera.takeCanvas(basename(file, '.json'));
	}
	for (const [name, shoot] of Object.entries(PANELS).filter(([each]) => wanted(each))) {
		log(name);
		await shoot(name, camera, studio);
	}
	const { errors } = studio.editor;
	if (errors.length > 0) throw new Error(`The editor reported errors: ${errors.join('; ')}`);
}

runCommand(main);
