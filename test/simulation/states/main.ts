/**
 * `npm run simulate:states`: random histories of stations' states, and what the trigger and the questions about the past say of them,
 * judged by the laws of the past. Counts those in which a law is broken, and prints the shortest history of the first of each kind.
 */
import { Command } from 'commander';
import { log, runCommand } from '../../../scripts/command';
import { placeName, type Step, textOf } from './history';
import { type Plan, planOf } from './plan';
import { LAWS, type Wrong, wrongOf } from './play';

interface Options {
	readonly histories: string;
	readonly from: string;
	readonly only: string;
	readonly law: string;
	readonly shown: string;
}

async function main(): Promise<void> {
	const options = new Command('npm run simulate:states --')
		.description('Judges what is said of the states of stations in random histories.')
		.option('--histories <number>', 'for each version', '100')
		.option('--from <seed>', 'the first seed', '1')
		.option('--only <version>', '1.6, 2.0.1 or updated', '')
		.option('--law <words>', `of: ${LAWS.join('; ')}`, '')
		.option('--shown <number>', 'how many shortest histories are printed', '10')
		.parse()
		.opts<Options>();
	const laws = LAWS.filter((law) => law.toLowerCase().includes(options.law.toLowerCase()));
	const [first, count] = [Number(options.from), Number(options.histories)];
	const kinds = new Map<string, number>();
	for (const version of ['1.6', '2.0.1', 'updated'] as const) {
		if (!version.includes(options.only)) continue;
		let wrongs = 0;
		for (let seed = first; seed < first + count; seed++) {
			const plan = planOf(seed, version);
			const wrong = await wrongOf(plan, laws);
			if (wrong.length > 0) wrongs += 1;
			for (const one of wrong) {
				const kind = `${kindOf(one)} (${version})`;
				kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
				if (kinds.get(kind) !== 1 || kinds.size > Number(options.shown)) continue;
				console.log(`\n${await shortest(plan, one)}\n`);
			}
		}
		log(`${version}: wrong in ${wrongs} of ${count} histories`);
	}
	for (const [kind, many] of kinds) console.log(`${many} × ${kind}`);
	if (kinds.size > 0) process.exitCode = 1;
}

/** The law, and the sentence without what it is about. */
const kindOf = ([law, what]: Wrong): string =>
	`${law}: ${what.split(':')[0] ?? ''}`.replace(/ at \d.*| of \d\S*/, '');

/** What makes the station what it is: its connectors, and the boot after which it speaks another version. */
function isFirst({ steps }: Plan, step: Step): boolean {
	if (step.what === 'boot') {
		return step.version === '2.0.1' && steps.find((one) => one.version === '2.0.1') === step;
	}
	return (
		step.what === 'status' &&
		step.connector !== undefined &&
		steps.find((one) => one.what === 'status' && placeName(one) === placeName(step)) === step
	);
}

async function shortest(plan: Plan, wrong: Wrong): Promise<string> {
	const kind = kindOf(wrong);
	let best = { plan, what: wrong[1] };
	for (let size = Math.ceil(plan.steps.length / 2); size >= 1;) {
		let isShorter = false;
		for (let n = 0; n < best.plan.steps.length;) {
			const left = best.plan.steps.toSpliced(n, size);
			// Which connectors there are is part of every history.
			const firsts = best.plan.steps.slice(n, n + size).filter((step) => isFirst(best.plan, step));
			const steps = [...left, ...firsts].sort((a, b) => a.at - b.at);
			if (steps.length === best.plan.steps.length) {
				n += size;
				continue;
			}
			const tried = { ...plan, steps };
			const found = (await wrongOf(tried, [wrong[0]])).find((one) => kindOf(one) === kind);
			if (found === undefined) n += size;
			else {
				best = { plan: tried, what: found[1] };
				isShorter = true;
			}
		}
		if (size > 1) size = Math.floor(size / 2);
		else if (!isShorter) break;
	}
	return `${wrong[0]}: ${best.what}\n  ${plan.version}, seed ${plan.seed}\n${textOf(best.plan.steps)}`;
}

runCommand(main);
