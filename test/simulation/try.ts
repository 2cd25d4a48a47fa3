import { bundlePackage } from './package';
import { simulate } from './simulate';
import { textOf } from './history';
import { check } from './checker/check';
async function main() {
	const loadPackage = await bundlePackage();
	const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 1);
	const c = process.cpuUsage();
	const by = new Map<string, number>();
	for (let seed = from; seed < from + n; seed++) {
		const { history } = await simulate(seed, { loadPackage });
		if (n === 1) console.log(textOf(history)); 
		const v = check(history);
		for (const rule of new Set(v.map((x) => x.rule))) by.set(rule, (by.get(rule) ?? 0) + 1);
		for (const x of v.slice(0, 2)) console.error(seed, x.rule, '|', x.message.slice(0, 300));
	}
	const u = process.cpuUsage(c);
	console.error(by, (u.user + u.system) / 1000 / n, 'cpu ms per seed');
}
void main();
