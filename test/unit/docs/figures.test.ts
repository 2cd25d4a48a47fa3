/** Limits, times and counts in the docs are those of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_REPLAYED } from '../../../lib/accounts';
import { BATCH_SIZE, MAX_BATCH_BYTES } from '../../../lib/event/wanted';
import { LOOKS, OVERLAP_MS } from '../../../lib/follow/position';
import { MOST_ATTEMPTS } from '../../../lib/ledger';
import { SESSION_MS } from '../../../lib/ledger/common/store';
import type { Entry } from '../../../lib/ledger/life/entry';
import { dueInMs, FIRST_GRACE_MS, LONGEST_GRACE_MS } from '../../../lib/ledger/life/states';
import { MOST_AT_ONCE } from '../../../lib/poll/poll';
import { TRIGGER_NUMBERS } from '../../../lib/receiver/receive';
import { DAYS_KEPT } from '../../../lib/rejections';
import { LIMITS, RETRIES, DELIVERY } from '../../../lib/service/defaults';
import { RECORD_BOUNDS } from '../../../lib/shared/json';
import { LONGEST_ID } from '../../../lib/shared/values';
import { RETENTION_MS } from '../../../lib/start';
import {
	GRACE_MS,
	LATE_STOP_MS,
	LATEST_MS,
	MOST_UNLISTED_PER_DAY,
	MOST_UNLISTED_PER_POLL,
	RENEW_MS,
	SESSION_WAIT_MS,
	STATION_AHEAD_MS,
	STATION_BEHIND_MS,
} from '../../../lib/station/common/settings';
import { DEFAULTS, MOST } from '../../../n8n/polling/station/settings';
import { MOST_RECORDS } from '../../../nodes/AssetService/shared/lists';
import packageJson from '../../../package.json';
import { EXAMPLES } from '../../support/n8n/examples';
import { linksOf, ROOT, tablesOf, textOf } from './markdown';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MEGABYTE = 1024 * 1024;

/** The pauses after the first, second, ... attempt, in minutes. */
const pauses = Array.from({ length: MOST_ATTEMPTS - 1 }, (_unused, n) => {
	const entry: Entry = {
		...{ kind: 'failed', at: 0, grace: 0, attempts: n + 1, repeats: true, reopenings: 0 },
	};
	return (dueInMs(entry, { now: 0, isHolderDead: false }) ?? 0) / MINUTE;
});
const [first, second, third, fourth = 0, fifth = 0] = pauses;
const [hourly, daily] = LOOKS;

/** The value of a constant that only its own file uses, as it is written there. */
function constantIn(file: string, name: string): string {
	const [, value] = new RegExp(`^const ${name} = (.+);$`, 'm').exec(textOf(file)) ?? [];
	if (value === undefined) throw new Error(`${file} has no constant ${name}`);
	return value;
}

const figureIn = (file: string, name: string) => Number(constantIn(file, name).replaceAll('_', ''));
const fetched = (name: string) => figureIn('n8n/polling/poll.ts', name);
const longestWaitMs = figureIn('lib/receiver/batch.ts', 'LONGEST_WAIT_MS');
/** As `35 * DAY_MS`. */
const POLLED_KEPT_DAYS = Number.parseInt(constantIn('lib/rejections/polls.ts', 'KEPT_MS'), 10);
const leastWaitMs = figureIn('lib/receiver/batch.ts', 'LEAST_WAIT_MS');

/** Where a figure is given, its words, and its values in the code, in the order of the words. */
const FIGURES: readonly (readonly [
	files: readonly string[],
	words: RegExp,
	values: readonly number[],
])[] = [
	[
		['README.md', 'docs/promises.md'],
		/retries (\d+) times within (\d+) hours/g,
		[
			DELIVERY.retryHours.length,
			DELIVERY.retryHours.reduce((sum: number, hours) => sum + hours, 0),
		],
	],
	[
		['docs/promises.md'],
		/retries for (\d+) hours/g,
		[DELIVERY.retryHours.reduce((sum: number, hours) => sum + hours, 0)],
	],
	[
		['docs/api-assumptions.md'],
		/(\d+): after (\d+), (\d+), (\d+), (\d+) and (\d+) hours/g,
		[DELIVERY.retryHours.length, ...DELIVERY.retryHours],
	],
	[['README.md'], /poll trigger makes (\d+) attempts/g, [MOST_ATTEMPTS]],
	[['docs/promises.md'], /poll\)? ?\(at most (\d+) attempts\)/g, [MOST_ATTEMPTS]],
	[
		['docs/promises.md'],
		/(\d+), (\d+) and (\d+) minutes, (\d+) hours, then (\d+) hours/g,
		[first ?? 0, second ?? 0, third ?? 0, fourth / 60, fifth / 60],
	],
	[
		['README.md'],
		/For (\d+) days and as long as the \[event ledger\]/g,
		[TRIGGER_NUMBERS.retention.fallback],
	],
	[['SECURITY.md'], /^\| Per event: .* (\d+) days +\|$/gm, [TRIGGER_NUMBERS.retention.fallback]],
	[['docs/comparison.md'], /yes, for (\d+) days/g, [RETENTION_MS / DAY]],
	[
		['SECURITY.md'],
		/[Aa]fter the tolerance \((\d+) minutes\)/g,
		[TRIGGER_NUMBERS.tolerance.fallback / 60],
	],
	[
		['docs/rotation.md'],
		/(\d+) minutes after it was signed/g,
		[TRIGGER_NUMBERS.tolerance.fallback / 60],
	],
	[
		['docs/rotation.md'],
		/A new secret works +\| at most (\d+) second after saving/g,
		[figureIn('lib/receiver/verify.ts', 'REFRESH_MS') / SECOND],
	],
	[
		['docs/rotation.md'],
		/A removed secret is rejected +\| at most (\d+) seconds after saving/g,
		[figureIn('lib/receiver/verify.ts', 'KEEP_MS') / SECOND],
	],
	[['SECURITY.md'], /bounded \((\d+) MB\)/g, [LIMITS.bodyBytes / MEGABYTE]],
	[['docs/nodes.md'], /response may hold at most (\d+) MB/g, [LIMITS.bodyBytes / MEGABYTE]],
	[
		['docs/troubleshooting.md'],
		/More than (\d+) levels, ([\d,]+) values or (\d+) MB, or an ID of more than ([\d,]+) characters/g,
		[
			...[RECORD_BOUNDS.levels, RECORD_BOUNDS.values],
			...[RECORD_BOUNDS.characters / MEGABYTE, LONGEST_ID],
		],
	],
	[['SECURITY.md', 'docs/nodes.md'], /([\d,]+) records(?: ends|\.)/g, [MOST_RECORDS]],
	[
		['docs/nodes.md'],
		/retried up to (\d+) times within (\d+) seconds/g,
		[RETRIES.maxRetries, RETRIES.totalMs / SECOND],
	],
	[
		['docs/nodes.md'],
		/(\d{3}), (\d{3}), (\d{3}), (\d{3}), (\d{3}), (\d{3}) and (\d{3})\b/g,
		[...RETRIES.statuses],
	],
	[
		['docs/nodes.md', 'docs/troubleshooting.md'],
		/(?:in|of) the last (\d+) days\W+(?:`reason`|did not start)/g,
		[DAYS_KEPT],
	],
	[['docs/nodes.md'], /A request takes at most ([\d,]+) events/g, [MOST_REPLAYED]],
	[['docs/nodes.md'], /per execution \(1 to ([\d,]+)\)/g, [BATCH_SIZE.most]],
	[['docs/nodes.md'], /\*\*Batch Size\*\* events or (\d+) MB/g, [MAX_BATCH_BYTES / MEGABYTE]],
	[
		['docs/promises.md'],
		/after (\d+) to (\d+) s/g,
		[longestWaitMs / SECOND, (longestWaitMs + leastWaitMs) / SECOND],
	],
	[
		['docs/nodes.md'],
		/waits longer than (\d+) seconds for another/g,
		[(longestWaitMs + leastWaitMs) / SECOND],
	],
	[
		['docs/dev/architecture.md'],
		/^\| hourly +\| every hour +\| (\d+) minutes +\| up to (\d+) minutes late/gm,
		[(hourly.everyMs + hourly.lateMs) / MINUTE, hourly.lateMs / MINUTE],
	],
	[
		['docs/dev/architecture.md'],
		/^\| daily +\| every day +\| (\d+) hours/gm,
		[(daily.everyMs + daily.lateMs) / HOUR],
	],
	[
		['docs/nodes.md'],
		/up to (\d+) minutes late [^,]*by the next poll, up to (\d+) minutes late within an hour/g,
		[OVERLAP_MS / MINUTE, hourly.lateMs / MINUTE],
	],
	[['docs/nodes.md'], /up to ([\d,]+) at a time/g, [MOST_AT_ONCE]],
	[
		['docs/nodes.md'],
		/up to ([\d,]+) events \((\d+) requests, (\d+) seconds\)/g,
		[fetched('MOST_EVENTS'), fetched('MOST_REQUESTS'), fetched('MOST_MS') / SECOND],
	],
	[['docs/nodes.md'], /number of faults \(1 to (\d+)\)/g, [MOST.times]],
	[['docs/nodes.md'], /after a pause \(1 to (\d+)\)/g, [MOST.catchUpHours]],
	[['docs/nodes.md'], /at its start \(0 to (\d+)\)/g, [MOST.catchUpHours]],
	[
		['docs/station-trigger.md'],
		/disconnected for (\d+) minutes[^|]*\|[^|]*resolved (\d+) minutes after/g,
		[DEFAULTS.byKind.stationOffline.forMinutes, DEFAULTS.byKind.stationOffline.resolveAfterMinutes],
	],
	[
		['docs/station-trigger.md'],
		/\*\*Statuses\*\* for (\d+) minutes/g,
		[DEFAULTS.byKind.connectorStatus.forMinutes],
	],
	[
		['docs/nodes.md'],
		/\(0 to 10,080\)\. (\d+) for a stuck connector, (\d+) for a fault/g,
		[DEFAULTS.byKind.connectorStatus.forMinutes, DEFAULTS.byKind.connectorFault.forMinutes],
	],
	[
		['docs/nodes.md'],
		/\(0 to 1,440\)[^.|]*\. (\d+) for a stuck connector, (\d+) for a fault/g,
		[
			DEFAULTS.byKind.connectorStatus.resolveAfterMinutes,
			DEFAULTS.byKind.connectorFault.resolveAfterMinutes,
		],
	],
	[['docs/station-trigger.md'], /as over (\d+) seconds later/g, [GRACE_MS / SECOND]],
	[
		['docs/station-trigger.md'],
		/at most (\d+) minutes ahead of `createdAt` and at most (\d+) days behind/g,
		[STATION_AHEAD_MS / MINUTE, STATION_BEHIND_MS / DAY],
	],
	[
		['docs/station-trigger.md'],
		/no stop arrives within (\d+) minutes/g,
		[SESSION_WAIT_MS / MINUTE],
	],
	[['SECURITY.md'], /\| (\d+) days after the last change/g, [RETENTION_MS / DAY]],
	[['SECURITY.md'], /^\| Per trigger, reason and day: .* (\d+) days +\|$/gm, [DAYS_KEPT]],
	[['SECURITY.md'], /^\| Per polling trigger: .* (\d+) days +\|$/gm, [POLLED_KEPT_DAYS]],
	[['docs/nodes.md'], /has lasted then \(0 to ([\d,]+)\)/g, [MOST.forMinutes]],
	[['docs/nodes.md'], /been over then \(0 to ([\d,]+)\)/g, [MOST.resolveAfterMinutes]],
	[
		['docs/station-trigger.md'],
		/More than (\d+) incidents per poll, and ([\d,]+) per day/g,
		[MOST_UNLISTED_PER_POLL, MOST_UNLISTED_PER_DAY],
	],
	[
		['docs/dev/measured.md'],
		/_session_ in the ledger every (\d+) seconds/g,
		[SESSION_MS / 3 / SECOND],
	],
	[
		['docs/dev/measured.md'],
		/otherwise (\d+) seconds after it was last renewed/g,
		[SESSION_MS / SECOND],
	],
	[
		['docs/promises.md'],
		/(\d+) minutes the first time[^.|]*?(?:\.[^.|]*?)?up to (\d+) hours/g,
		[FIRST_GRACE_MS / MINUTE, LONGEST_GRACE_MS / HOUR],
	],
];

it('times in words are those of the code', () => {
	const security = textOf('SECURITY.md');
	expect(security).toContain('renewed weekly while an incident is open');
	expect(RENEW_MS).toBe(7 * DAY);
	expect(security).toContain('until at most a day after its end');
	expect(LATE_STOP_MS).toBe(DAY);
	expect(textOf('docs/station-trigger.md')).toContain('over 90 minutes late always are');
	expect(LATEST_MS).toBeLessThan(90 * MINUTE);
	expect(textOf('docs/station-trigger.md')).toContain('at most six times');
	expect(textOf('docs/promises.md')).toContain('stops after six attempts');
	expect(MOST_ATTEMPTS).toBe(6);
});

const numberOf = (text = '') => Number(text.replaceAll(',', ''));

describe.each(FIGURES)('%j: %s', (files, words, values) => {
	it.each(files)('in %s', (file) => {
		const found = [...textOf(file).matchAll(words)].map(([, ...figures]) => figures.map(numberOf));
		expect(found).not.toEqual([]);
		for (const figures of found) expect(figures).toEqual(values);
	});
});

it('a poll reads back two minutes, an hour each hour and a day each day', () => {
	expect(textOf('docs/nodes.md')).toContain(', up to an hour late within a day');
	expect(daily.lateMs).toBe(HOUR);
	const architecture = textOf('docs/dev/architecture.md');
	expect(architecture).toContain('two minutes behind the newest event of the poll before');
	expect(OVERLAP_MS).toBe(2 * MINUTE);
	expect([hourly.everyMs, daily.everyMs]).toEqual([HOUR, DAY]);
});

it('versions are those that the package is made with, and that it asks for', () => {
	const { devDependencies, engines } = packageJson;
	const reportsEnd = constantIn('n8n/execution/beginRun.ts', 'REPORTS_END').replaceAll("'", '');
	const readme = textOf('README.md');
	const n8n = devDependencies['n8n-core'];
	expect(readme).toContain(`Tested on n8n ${n8n} `);
	const supported = tablesOf('docs/run.md').find(({ columns }) => columns.includes('Tested'));
	const whole = supported?.rows.filter((cells) => cells.at(-1) === 'all tests') ?? [];
	expect(whole.map(([version]) => version)).toEqual([n8n, n8n]);
	const [, tried = ''] = /const VERSIONS = \[(.*)\]/.exec(textOf('scripts/versions/main.ts')) ?? [];
	const versions = tried.replaceAll("'", '').split(', ');
	const partly = supported?.rows.filter((cells) => cells.at(-1) === 'the main scenario') ?? [];
	expect(partly.map(([version]) => version)).toEqual([
		versions.filter((version) => version !== n8n).join(', '),
	]);
	const [oldest, newest] = [versions[0], versions.at(-1)].map((each) =>
		each?.replace(/\.\d+$/, ''),
	);
	for (const file of ['README.md', 'docs/run.md'])
		expect(textOf(file)).toContain(`n8n ${oldest} to ${newest}`);
	expect(readme).toContain(`**Start Again** needs ${reportsEnd}.`);
	expect(textOf('docs/promises.md')).toContain(`It needs n8n ${reportsEnd}.`);
	expect(textOf('docs/run.md')).toContain(`requires Node.js ${engines.node.replace('>=', '')} `);
	const [, plugin] =
		/`@n8n\/eslint-plugin-community-nodes`, version ([\d.]+)/.exec(
			textOf('docs/dev/n8n-cloud.md'),
		) ?? [];
	expect(plugin).toBe(devDependencies['@n8n/eslint-plugin-community-nodes']);
	const setup = readFileSync(join(ROOT, 'scripts/setup/ensureInstalled.mjs'), 'utf8');
	const [, needed = 'none'] = /^const OLDEST = '(.+)';$/m.exec(setup) ?? [];
	for (const file of ['README.md', 'CONTRIBUTING.md'])
		expect(textOf(file)).toContain(`Node.js ${needed} or newer`);
	const oldestNode = engines.node.replace('>=', '');
	const contributing = textOf('CONTRIBUTING.md');
	expect(contributing).toContain(`The package itself runs on Node.js ${oldestNode} or newer`);
	expect(contributing).toContain(`this package runs on ${oldestNode}`);
});

it('the README installs the file that npm packs', () => {
	const { name, version } = packageJson;
	expect(textOf('README.md')).toMatch(/^npm install --prefix .*\.tgz$/m);
	expect(textOf('README.md')).toContain(` ~/${name}-${version}.tgz\n`);
});

it('Docker gets the file that npm packs, by the command of the README', () => {
	const { name, version } = packageJson;
	const dockerfile = textOf('examples/docker/Dockerfile');
	const [, command = ''] = /For Docker, run `([^`]+)`/.exec(textOf('README.md')) ?? [];
	expect(command).toBe('npm pack --pack-destination examples/docker');
	expect(dockerfile).toContain(`npm pack --pack-destination examples/docker\n`);
	// Not a pattern: a file of an older version may lie next to it.
	expect(dockerfile).toContain(`COPY ${name}-${version}.tgz /opt/\n`);
	expect(dockerfile).toMatch(/^RUN npm install .* \/opt\/[\w.-]+-\d+\.\d+\.\d+\.tgz$/m);
	expect(textOf('examples/docker/compose.yaml')).toContain('  build: .\n');
	// What is to be removed from the volume is what each start links there.
	const [, link = ''] = /remove `~\/([^`]+)`, a link/.exec(textOf('docs/run.md')) ?? [];
	expect(link).not.toBe('');
	expect(dockerfile).toContain(` ~/${link} && exec `);
});

it('all examples are listed', () => {
	const [list = ''] = /## Example workflows[\s\S]*?(?=\n## )/.exec(textOf('README.md')) ?? [];
	expect(new Set(list.match(/\(\.\/examples\/[\w-]+\.json\)/g)).size).toBe(EXAMPLES.length);
	const described = linksOf('docs/examples.md').filter((link) => link.endsWith('.json'));
	expect(new Set(described).size).toBe(EXAMPLES.length);
});
