/** What the README tells a new user to do: the commands of its section Install, and how long both sections take to read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
const WORDS_PER_MINUTE = 200;

function section(title: string): string {
	const [, text] = new RegExp(`^## ${title}$([^]*?)^## `, 'm').exec(README) ?? [];
	if (text === undefined) throw new Error(`The README has no section ${title}.`);
	return text;
}

export function installCommands(): string {
	const [, commands] = /```sh\n([^]*?)```/.exec(section('Install')) ?? [];
	if (commands === undefined) throw new Error('The section Install has no commands.');
	return commands;
}

export function readingSeconds(): number {
	const words = [section('Install'), section('Quick start')].join(' ').split(/\s+/).length;
	return Math.round((words / WORDS_PER_MINUTE) * 60);
}
