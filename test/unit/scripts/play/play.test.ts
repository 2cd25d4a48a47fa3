/** A log is read in whatever form it has, played through the product, and compared with a plain computation. */
import { compared } from '../../../../scripts/play/compare';
import { readLog } from '../../../../scripts/play/log';
import { toldOf } from '../../../../scripts/play/product';
import { shifted } from '../../../../scripts/play/shift';
import { MINUTE } from '../../station/stationWorld';

const STATUS = { connectorId: 1, errorCode: 'NoError' };
const MESSAGES: readonly (readonly [time: string, message: readonly unknown[]])[] = [
	['2026-03-01T08:00:00Z', [2, 'm1', 'StatusNotification', { ...STATUS, status: 'Available' }]],
	['2026-03-01T08:00:01Z', [3, 'm1', {}]],
	[
		'2026-03-01T09:00:00Z',
		[2, 'm2', 'StartTransaction', { connectorId: 1, idTag: 'T', meterStart: 1000 }],
	],
	['2026-03-01T09:00:01Z', [3, 'm2', { transactionId: 7, idTagInfo: { status: 'Accepted' } }]],
	['2026-03-01T09:30:00Z', [2, 'm3', 'StopTransaction', { transactionId: 7, meterStop: 6000 }]],
	['2026-03-01T10:00:00Z', [2, 'm4', 'StatusNotification', { ...STATUS, status: 'Faulted' }]],
	['2026-03-01T10:20:00Z', [2, 'm5', 'StatusNotification', { ...STATUS, status: 'Available' }]],
];
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const rows = (write: (time: string, message: string) => string) =>
	MESSAGES.map(([time, message]) => write(time, JSON.stringify(message))).join('\n');

const FORMS: Readonly<Record<string, string>> = {
	CSV: `timestamp,id,action,msg\n${rows((time, message) => `${time},CP,,${quoted(message)}`)}\n`,
	'CSV without names': rows((time, message) => `CP;${time};${quoted(message)}`),
	'CSV with other times': `Created On,Charger,Request\n${rows((time, message) => {
		const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T(.*)Z$/.exec(time) ?? [];
		return `${month ?? ''}/${day ?? ''}/${year ?? ''} ${clock ?? ''},CP,${quoted(message)}`;
	})}`,
	'JSON lines': rows(
		(time, message) => `{"ts":${Date.parse(time)},"cpId":"CP","frame":${message}}`,
	),
	JSON: JSON.stringify({
		metadata: { stationId: 'CP' },
		events: MESSAGES.map(([timestamp, message]) => ({ timestamp, direction: 'IN', message })),
	}),
	text: rows((time, message) => `[${time}] >> sent: ${message} color: cyan;`),
};
const readCsv = () => readLog(FORMS['CSV'] ?? '', 'log.csv').lines;

it.each(Object.entries(FORMS))('reads %s', (_form, text) => {
	const { lines, leftOut } = readLog(text, '/tmp/CP.log');
	expect(lines).toEqual(readCsv());
	expect(lines.map(({ at }) => at)).toEqual(MESSAGES.map(([time]) => Date.parse(time)));
	expect(new Set(lines.map(({ station }) => station))).toEqual(new Set(['CP']));
	expect(leftOut).toBe(0);
});

it('counts the records that have no time or no message', () => {
	const text = '2026-03-01T08:00:00Z PING\n2026-03-01T08:00:01Z [2,"1","Heartbeat",{}]\n[3,"1",{}]';
	const { lines, leftOut } = readLog(text, 'a.log');
	expect([lines.length, leftOut]).toEqual([1, 2]);
});

it('moves a log to another day, its messages as well', () => {
	const text =
		'2026-03-01T23:00:00Z [2,"1","X",{"meterValue":[{"timestamp":"2026-03-02T01:00:00+02"}]}]';
	const [line] = shifted(readLog(text, 'a.log').lines, '2026-05-01');
	expect(line?.at).toBe(Date.parse('2026-05-01T23:00:00Z'));
	expect(line?.frame.payload).toEqual({ meterValue: [{ timestamp: '2026-05-02T01:00:00+02' }] });
});

it('finds no difference in a plain log, and counts what is in it', async () => {
	const lines = readCsv();
	const { differences, counts } = compared(lines, await toldOf(lines, 10 * MINUTE));
	expect(differences).toEqual([]);
	expect(Object.values(counts)).toEqual([7, 1, 2, '1, 1, 1', '1, 1, 1', '0, 0, 0', '0, 0', '1, 1']);
});

it('shows what differs', async () => {
	const lines = readCsv();
	const told = await toldOf(lines, 10 * MINUTE);
	// Without the response, the plain computation finds no start.
	const { differences } = compared(
		lines.filter(({ frame }) => frame.messageType === 'CALL'),
		told,
	);
	expect(differences.map(({ text }) => text)).toEqual([
		'+ CP 7 connector 1 2026-03-01T09:00:00 2026-03-01T09:30:00 5.000 kWh',
		'- CP 7 connector null null 2026-03-01T09:30:00 null kWh',
	]);
});
