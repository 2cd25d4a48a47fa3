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
	return secondsToRead([section('Install'), section('Quick start')].join(' '));
}

/** A URL or a secret is not read. */
export function secondsToRead(text: string): number {
	const words = text
		.split(/\s+/)
		.filter((word) => /\p{L}/u.test(word) && !/[:/_]\S*[:/_]/.test(word));
	return Math.round((words.length / WORDS_PER_MINUTE) * 60);
}
