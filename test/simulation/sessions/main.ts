/**
 * `npm run simulate:sessions`: true histories of sessions from seeds, each with one message of its sessions lost, and what is said of
 * them. Counts those in which something is wrong, and prints the shortest history of the first of each kind.
 */
import { Command } from 'commander';
import { log, runCommand } from '../../../scripts/command';
import { type Version } from './history';
import { canLack, LOSSES, planOf } from './plan';
import { judged, LAWS } from './play';
import { foundText, kindOf, shortest } from './shrink';

interface Options {
	readonly histories: string;
	readonly from: string;
	readonly only: string;
	readonly law: string;
	readonly days: string;
	readonly shown: string;
}

const VERSIONS: readonly Version[] = ['1.6', '2.0.1'];

async function main(): Promise<void> {
	const options = new Command('npm run simulate:sessions --')
		.description('Judges what is said of sessions in random true histories.')
		.option('--histories <number>', 'for each version and kind of loss', '100')
		.option('--from <seed>', 'the first seed', '1')
		.option('--only <words>', 'versions and losses, such as "1.6 start"', '')
		.option('--law <words>', `of: ${LAWS.join('; ')}`, '')
		.option('--days <number>', 'how much longer than 8 hours each history is', '0')
		.option('--shown <number>', 'how many shortest histories are printed', '10')
		.parse()
		.opts<Options>();
	const laws = LAWS.filter((law) => law.toLowerCase().includes(options.law.toLowerCase()));
	const [first, count] = [Number(options.from), Number(options.histories)];
	const kinds = new Map<string, number>();
	for (const version of VERSIONS) {
		for (const loss of LOSSES) {
			const name = `${version} ${loss}`;
			if (!canLack(version, loss) || !name.includes(options.only)) continue;
			let wrongs = 0;
			const held = new Map(laws.map((law) => [law, { histories: 0, times: 0 }]));
			for (let seed = first; seed < first + count; seed++) {
				const plan = planOf(seed, version, loss, Number(options.days));
				const { wrong, compared } = await judged(plan, laws);
				if (wrong.length > 0) wrongs += 1;
				for (const [law, times] of compared) {
					const all = held.get(law);
					if (all === undefined) continue;
					all.histories += 1;
					all.times += times;
				}
				const news = wrong.filter((one) => !kinds.has(kindOf(one)));
				for (const one of new Set(wrong.map(kindOf))) kinds.set(one, (kinds.get(one) ?? 0) + 1);
				const [newest] = news;
				if (newest === undefined || kinds.size > Number(options.shown)) continue;
				console.log(`\n${foundText(await shortest(plan, newest))}\n`);
			}
			log(`OCPP ${version}, ${loss} lost: wrong in ${wrongs} of ${count} histories`);
			for (const [law, { histories, times }] of held) {
				console.log(`        ${law}: ${histories} histories compared, ${times} times`);
			}
		}
	}
	for (const [kind, many] of kinds) console.log(`${many} × ${kind}`);
	if (kinds.size > 0) process.exitCode = 1;
}

runCommand(main);
