/** Tries a million inputs on all code that reads data from outside, each target with its own oracle: `npm run fuzz`, or `npm run fuzz -- 5000`. */
import fc from 'fast-check';
import { runCommand } from '../command';
import { apiTargets } from './api';
import { conditionTargets } from './conditions';
import { eventTargets } from './event';
import { growthTarget } from './growth';
import { peerTarget } from './peers';
import { signatureTargets } from './signature';
import type { Target } from './target';

const TARGETS: readonly Target[] = [
	...signatureTargets,
	peerTarget(),
	...eventTargets,
	...conditionTargets,
	...apiTargets,
	growthTarget,
];

async function main(): Promise<void> {
	const total = Number(process.argv[2] ?? 1_000_000);
	if (!Number.isSafeInteger(total) || total < TARGETS.length) {
		throw new Error(`Enter the number of inputs to try, ${TARGETS.length} or more.`);
	}
	const numRuns = Math.ceil(total / TARGETS.length);
	for (const { name, property, reached } of TARGETS) {
		await fc.assert(property, { numRuns });
		const share = Object.entries(reached).map(([what, times]) => `${what} ${times}`);
		console.log(`${name}: ${numRuns} inputs${share.length > 0 ? ` (${share.join(', ')})` : ''}`);
	}
}

runCommand(main);
