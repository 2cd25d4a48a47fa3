/** The results of the jobs that watch stations, and the result of a command for each response. */
import { at, type Json, run, SEEDS, shuffled } from './codeNode';

describe('Find stuck connectors', () => {
	const settings = { statuses: 'Preparing, Reserved', stuckMinutes: 120, lateHours: 6 };
	const report = (id: number, minutesAgo: number, status: string, more: Json = {}) => ({
		...{ id, event: `whevt_${id}`, assetId: 'asset', connector: '1', status },
		...{ reportedAt: at(minutesAgo), noticedAt: null, ...more },
	});
	const find = (rows: readonly Json[]) =>
		run('stuck-status.json', 'Find stuck connectors', rows, { Settings: [settings] });
	const stuckRows = (rows: readonly Json[]) =>
		find(rows).flatMap(({ stuck, row }) => (stuck === true ? [row] : []));
	const oldRows = (rows: readonly Json[]) =>
		find(rows).flatMap(({ stuck, row }) => (stuck === true ? [] : [row]));

	it.each([
		['has just not been long enough', [report(1, 119, 'Preparing')], []],
		['has been long enough', [report(1, 121, 'Preparing')], [1]],
		['is not watched', [report(1, 300, 'Charging')], []],
		['counts from its first report', [report(1, 130, 'Preparing'), report(2, 5, 'Preparing')], [1]],
		[
			'was interrupted',
			[report(1, 180, 'Preparing'), report(2, 100, 'Charging'), report(3, 90, 'Preparing')],
			[],
		],
		['is over', [report(1, 300, 'Preparing'), report(2, 100, 'Available')], [1]],
		['was over long ago', [report(1, 800, 'Preparing'), report(2, 400, 'Available')], []],
		['was noticed', [report(1, 300, 'Preparing', { noticedAt: at(100) })], []],
		[
			'was noticed, and an earlier report came late',
			[report(2, 310, 'Preparing'), report(1, 300, 'Preparing', { noticedAt: at(100) })],
			[],
		],
		[
			'came back after a notice',
			[
				report(1, 340, 'Preparing', { noticedAt: at(100) }),
				report(2, 200, 'Available'),
				report(3, 150, 'Preparing'),
			],
			[3],
		],
		[
			'is that of another connector',
			[report(1, 300, 'Preparing'), report(2, 10, 'Available', { connector: '2' })],
			[1],
		],
		[
			'is that of another station',
			[report(1, 300, 'Preparing'), report(2, 10, 'Available', { assetId: 'other' })],
			[1],
		],
	])('a status that %s', (_what, rows, stuck) => {
		expect(stuckRows(rows)).toEqual(stuck);
	});

	it('deletes only rows that no decision needs any more', () => {
		const rows = [
			...[report(1, 900, 'Preparing', { noticedAt: at(700) }), report(2, 800, 'Preparing')],
			...[report(3, 500, 'Available'), report(4, 450, 'Available')],
			...[report(5, 390, 'Reserved'), report(6, 385, 'Reserved', { noticedAt: at(200) })],
			...[report(7, 380, 'Reserved'), report(8, 100, 'Reserved')],
		];
		expect(oldRows(rows).sort()).toEqual([1, 2, 3, 4, 7]);
		const kept = rows.filter(({ id }) => !oldRows(rows).includes(id));
		expect(find(kept)).toEqual([]);
	});

	it.each(SEEDS)('gives the same with events twice and in the order of the seed %i', (seed) => {
		const rows = [
			...[report(1, 300, 'Preparing'), report(2, 250, 'Preparing'), report(3, 240, 'Charging')],
			...[report(4, 200, 'Reserved'), report(5, 200, 'Reserved', { connector: '2' })],
			...[report(6, 150, 'Available', { connector: '2' }), report(7, 120, 'Reserved')],
		];
		const copies = rows.map((row) => ({ ...row, id: row.id + 100 }));
		const events = (all: readonly Json[]) => stuckRows(all).map((row) => Number(row) % 100);
		expect(events(shuffled([...rows, ...copies], seed))).toEqual(events(rows));
		expect(events(rows)).toEqual([4]);
	});
});

describe('Find repeated faults', () => {
	const fault = (id: number, hoursAgo: number, more: Json = {}) => ({
		...{ id, fault: `fault_${id}`, assetId: 'asset', connector: '1', errorCode: 'OtherError' },
		...{ faultedAt: at(hoursAgo * 60), noticedAt: null, ...more },
	});
	const find = (rows: readonly Json[]) =>
		run('repeated-faults.json', 'Find repeated faults', rows, {
			Settings: [{ faults: 3, withinHours: 24 }],
		}).map(({ faults }) => (faults as Json[]).map(({ id }) => id));
	const noticed = { noticedAt: at(60) };

	it.each([
		['too few', [fault(1, 3), fault(2, 2)], []],
		['enough', [fault(1, 24), fault(2, 2), fault(3, 0)], [[1, 2, 3]]],
		['too far apart', [fault(1, 25), fault(2, 2), fault(3, 0)], []],
		['more than enough', [fault(1, 5), fault(2, 4), fault(3, 3), fault(4, 2)], [[1, 2, 3, 4]]],
		['of two stations', [fault(1, 3), fault(2, 2), fault(3, 1, { assetId: 'other' })], []],
		[
			'after a notice',
			[fault(1, 5, noticed), fault(2, 4, noticed), fault(3, 3, noticed), fault(4, 2)],
			[],
		],
		[
			'late, within a notice',
			[fault(1, 5, noticed), fault(4, 4.5), fault(2, 4, noticed), fault(3, 3, noticed)],
			[],
		],
		[
			'again, after the time of a notice',
			[
				fault(1, 40, noticed),
				fault(2, 39, noticed),
				fault(3, 38, noticed),
				fault(4, 3),
				fault(5, 2),
				fault(6, 1),
			],
			[[4, 5, 6]],
		],
		[
			'in two windows',
			[fault(1, 45), fault(2, 44), fault(3, 43), fault(4, 3), fault(5, 2), fault(6, 1)],
			[
				[1, 2, 3],
				[4, 5, 6],
			],
		],
		['twice in the table', [fault(1, 3), fault(2, 2), fault(3, 2, { fault: 'fault_2' })], []],
	])('%s', (_what, rows, notices) => {
		expect(find(rows)).toEqual(notices);
	});

	it.each(SEEDS)('gives the same in the order of the seed %i', (seed) => {
		const rows = [5, 4, 3, 30, 31, 45].map((hours, id) => fault(id, hours));
		expect(find(shuffled(rows, seed))).toEqual(find(rows));
		expect(find(rows)).toEqual([
			[5, 4, 3],
			[0, 1, 2],
		]);
	});
});

describe('Check response', () => {
	const command = { requestId: 'whevt_1', assetId: 'asset', action: 'Reset', sentAt: at(0) };
	const check = (response: Json) =>
		run('command-confirmed.json', 'Check response', [response], {
			'Commands to send': [command],
		})[0]?.['outcome'];
	const station = (response: Json) => ({ statusCode: 200, body: { data: { response } } });

	it.each([
		['accepted', station({ messageType: 'CALL_RESULT', payload: { status: 'Accepted' } })],
		['accepted', station({ messageType: 'CALL_RESULT', payload: { status: 'Scheduled' } })],
		['rejected', station({ messageType: 'CALL_RESULT', payload: { status: 'Rejected' } })],
		['rejected', station({ messageType: 'CALL_RESULT', payload: { status: 'NotSupported' } })],
		['rejected', station({ messageType: 'CALL_ERROR', errorCode: 'InternalError' })],
		['unconfirmed', { statusCode: 200, body: { status: 'Success', async: true } }],
		['unconfirmed', { statusCode: 200, body: '' }],
		['failed', { statusCode: 400, body: { message: 'assetId: wrong' } }],
		['failed', { statusCode: 401, body: {} }],
		['failed', { statusCode: 409, body: { message: 'The station is not connected.' } }],
		['failed', { statusCode: 429 }],
		['unconfirmed', { statusCode: 408 }],
		['unconfirmed', { statusCode: 504, body: 'Bad gateway' }],
		['unconfirmed', { error: { message: 'timeout of 60000ms exceeded' } }],
		['unconfirmed', { error: 'The connection was aborted' }],
		['failed', { requestId: 'whevt_1' }],
	])('takes a command for %s after %j', (outcome, response) => {
		expect(check(response)).toBe(outcome);
	});
});

describe('Commands to send', () => {
	const command = (requestId: string, more: Json = {}) => ({
		...{ requestId, assetId: 'asset', eventAt: at(1), quietMinutes: 60, ...more },
	});
	const sent = (commands: readonly Json[], recent: readonly Json[] = []) =>
		run('command-confirmed.json', 'Commands to send', recent, { Command: commands }).map(
			({ requestId }) => requestId,
		);
	const row = (requestId: string, outcome: string, assetId = 'asset') => ({
		...{ requestId, outcome, assetId },
	});

	it.each([
		['its first', [command('1')], [{}], ['1']],
		['none for an old event', [command('1', { eventAt: at(61) })], [], []],
		['none after another', [command('2')], [row('1', 'accepted')], []],
		['none while another is under way', [command('2')], [row('1', 'sent')], []],
		['one after one that did not reach it', [command('2')], [row('1', 'failed')], ['2']],
		['one after that of another station', [command('2')], [row('1', 'sent', 'other')], ['2']],
		['a repeat', [command('1')], [row('1', 'unconfirmed')], ['1']],
		['one of two', [command('1'), command('2')], [], ['1']],
		['one of two copies', [command('1'), command('1')], [], ['1']],
	])('gives a station %s', (_what, commands, recent, requestIds) => {
		expect(sent(commands, recent)).toEqual(requestIds);
	});
});
