/** Times are read the same in every zone that n8n runs in; a time without a zone is UTC. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
const NINE = '2026-11-23T09:00:00.000Z';
const NINE_AND_A_BIT = '2026-11-23T09:00:00.123Z';

const READ: readonly (readonly [unknown, string | undefined])[] = [
	...[
		'2026-11-23T09:00:00Z',
		'2026-11-23T09:00:00.000Z',
		'2026-11-23t09:00:00z',
		'2026-11-23 09:00:00 UTC',
		'2026-11-23T11:00:00+02:00',
		'2026-11-23T11:00:00+0200',
		'2026-11-23T11:00:00+02',
		'2026-11-23T11:00:00 +02:00',
		'2026-11-23T03:30:00-05:30',
		'2026-11-23T03:30:00\u221205:30',
		'2026-11-23T09:00:00-00:00',
		'2026-11-23T09:00:00',
		'2026-11-23 09:00:00',
		'2026-11-23T09:00',
		'2026-11-23T09',
		'20261123T090000Z',
		'20261123T110000+02',
		' 2026-11-23T09:00:00Z\n',
		'Mon, 23 Nov 2026 09:00:00 GMT',
		'Monday, 23-Nov-26 09:00:00 GMT',
		'Mon Nov 23 09:00:00 2026',
		'Mon, 23 Nov 2026 10:00:00 +0100',
		1_795_424_400,
		'1795424400',
		1_795_424_400_000,
		'1795424400000',
		1_795_424_400_000.25,
	].map((value) => [value, NINE] as const),
	...['.123', '.1234567', ',123456789'].map(
		(fraction) => [`2026-11-23T09:00:00${fraction}Z`, NINE_AND_A_BIT] as const,
	),
	['2026-11-23T09:00:00.1', '2026-11-23T09:00:00.100Z'],
	['2026-11-23', '2026-11-23T00:00:00.000Z'],
	['2026-11-23T24:00:00Z', '2026-11-24T00:00:00.000Z'],
	['2000-02-29', '2000-02-29T00:00:00.000Z'],
	['2024-02-29', '2024-02-29T00:00:00.000Z'],
	['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
	// Two o'clock does not exist on this night in New York.
	['2026-03-08T02:30:00', '2026-03-08T02:30:00.000Z'],
	...[
		...['', 'yesterday', 'station 5', '17', 17, '2026', '9:00', '11/23/2026'],
		...['2026-02-30T09:00:00Z', '2026-13-01T09:00:00Z', '2026-00-10', '2026-11-00'],
		...['1900-02-29', '2026-02-29', '2026-04-31'],
		...['2026-11-23T25:00:00Z', '2026-11-23T24:01:00Z', '2026-11-23T09:60:00Z'],
		...['2026-11-23T09:00:61Z', '2026-11-23T09:00:00+24:00', '2026-11-23T09:00:00Zulu'],
		...['0001-01-01T00:00:00Z', `2026-11-23T09:00:00.${'1'.repeat(64)}Z`, 'Monday, soon'],
		...[1_795_424_400_000_000, 20_261_123_090_000, -1, null, true, {}, ['2026-11-23']],
	].map((value) => [value, undefined] as const),
];

/** What a process in this zone reads. */
function readIn(zone: string): unknown[] {
	const script = [
		`import { timeOf } from ${JSON.stringify(join(ROOT, 'lib/shared/time.ts'))};`,
		`if (new Date(2026, 10, 23, 9).getTimezoneOffset() !== ${OFFSETS[zone]}) throw new Error('zone');`,
		`const values = ${JSON.stringify(READ.map(([value]) => value))};`,
		`console.log(JSON.stringify(values.map((value) => {`,
		`	const time = timeOf(value);`,
		`	return time === undefined ? null : new Date(time).toISOString();`,
		`})));`,
	].join('\n');
	const run = spawnSync(
		process.execPath,
		['--import', 'tsx', '--input-type=module', '--eval', script],
		{ cwd: ROOT, env: { ...process.env, TZ: zone }, encoding: 'utf8' },
	);
	if (run.status !== 0) throw new Error(run.stderr);
	return JSON.parse(run.stdout) as unknown[];
}

/** In minutes, as JavaScript counts them. */
const OFFSETS: Readonly<Record<string, number>> = {
	'America/New_York': 300,
	'Asia/Kolkata': -330,
	UTC: 0,
};

describe.each(Object.keys(OFFSETS))('in the zone %s', (zone) => {
	it('a time is read as the service or the station means it', () => {
		const read = readIn(zone);
		const found = READ.map(([value], n) => [value, read[n]]);
		expect(found).toEqual(READ.map(([value, time]) => [value, time ?? null]));
	});
});
