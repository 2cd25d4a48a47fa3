/** Charging sessions as stations really send them: odd times, registers and transaction IDs. One row each, and no wrong number. */
import type { StationSettings } from '../../../lib/station';
import { shardIn } from '../../../lib/station/shards';
import { isThorough } from '../../support/cases';
import { sessions } from './past/pastWorld';
import { sessionCases, sessionEvents } from './sessionText';
import { back, message, MINUTE, type StationEvent, stationWorld, time } from './stationWorld';

type Item = Record<string, unknown>;

const iso = (at: string) => new Date(time(at)).toISOString();
const DAY = 1440 * MINUTE;
const SESSIONS = { settings: { kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 } } as const;

/** What is reported, whatever the order of the list and the polls: a thorough run has others, too. */
async function rowsOf(
	events: readonly StationEvent[],
	settings: Partial<StationSettings> = {},
): Promise<Item[]> {
	const [begin, end] = [time('08:50'), time('11:00')];
	const each = (every: number) =>
		Array.from(
			{ length: 1 + Math.floor((end - begin) / (every * MINUTE)) },
			(_unused, n) => begin + n * every * MINUTE,
		);
	// Soon after each message, and when what waits for others is decided.
	const soon = events.flatMap(({ listedAt }) =>
		[2, 5, 13, 23].map((after) => listedAt + after * MINUTE),
	);
	const lists = [
		{ polls: [begin, ...soon.filter((at) => begin < at && at < end), end], options: {} },
		{ polls: each(13), options: { isOldestFirst: true, copies: 2 } },
		{ polls: each(55), options: {} },
	];
	const rows: Item[][] = [];
	for (const { polls, options } of isThorough ? lists : lists.slice(0, 1)) {
		const world = stationWorld({
			...options,
			workflowId: 'field',
			settings: { ...SESSIONS.settings, ...settings },
		});
		world.events = [...events];
		for (const at of new Set(polls.toSorted((a, b) => a - b))) {
			world.now = at;
			await world.poll();
		}
		for (const last of ['11:01', '11:02']) {
			world.now = time(last);
			await world.poll();
		}
		expect(new Set(world.ids()).size).toBe(world.ids().length);
		rows.push(world.items().map(({ together: _together, ...item }) => item));
	}
	const [first = [], ...others] = rows.map((some) =>
		some.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1)),
	);
	for (const other of others) expect(other).toEqual(first);
	return (rows[0] ?? []).toSorted((a, b) =>
		String(a['receivedAt']).localeCompare(String(b['receivedAt'])),
	);
}

/** See `sessionText.ts`. */
const CASES = `
T1: an offset of two digits
  09:00 start 1 1000 at=2026-11-23T11:00:00+02 | 09:30 stop 25 6000 at=2026-11-23T11:30:00+02
  => ? 30min 5kWh from=09:00 to=09:30

T2: times without a zone, sent later
  09:05 start 1 1000 at=2026-11-23T09:00:00 | 09:35 stop 25 6000 at=2026-11-23_09:31:00
  => ? 31min 5kWh from=09:00 to=09:31

C1: the clock is set during the session
  09:00 start 1 1000 at=2023-01-01T00:00:20Z | 09:30 stop 25 6000
  => ? 30min 5kWh from=09:00 to=09:30

C2: local time that is marked as UTC at the start
  09:05 start 1 1000 at=11:05 | 09:35 stop 25 21000
  => 1 30min 20kWh from=09:05

a clock that shows the same time after each boot, and a register that begins with 0 each time
  09:00 start 1 0 at=2023-01-01T00:00:20Z id=1 tx=25 | 09:30 stop 25 5000
  10:20 start 1 0 at=2023-01-01T00:00:20Z id=2 tx=26 | 10:40 stop 26 2000
  => ? 30min 5kWh from=09:00 to=09:30 | ? 20min 2kWh from=10:20 to=10:40

a clock that is set back during the session
  09:00 start 1 1000 | 09:30 stop 25 6000 at=07:30
  => ? 30min 5kWh from=09:00 to=09:30

C3: a start of three days ago may have been sent late
  09:00 start 1 1000 at=11-20_09:00 | 09:30 stop 25 6000
  => ? 5kWh from=11-20_09:00 to=09:30

a clock that was never set
  09:00 start 1 1000 at=1970-01-01T00:00:05Z | 09:30 stop 25 6000 at=1970-01-01T00:30:05Z
  => ? 30min 5kWh from=09:00 to=09:30

E1: a placeholder at the start
  09:00 started A 1/1 0 | 09:10 updated A 909948 | 09:40 ended A 910031
  => ? 40min 0.083kWh (first reading to stop)

a placeholder at the start, and nothing else before the end
  09:00 started A 1/1 0 | 09:40 ended A 910031
  => ? -kWh Wh=-..? (-)

a placeholder of 1 at the start
  09:00 started A 1/1 1 | 09:05 updated A 909948 | 09:10 updated A 909990 | 09:40 ended A 910031
  => ? -kWh

a 0 at the start, from which a megawatt can rise to the next reading
  09:00 started A 1/1 0 | 09:20 updated A 60000 | 09:50 ended A 61000
  => ? 61kWh Wh=0..61000 (start to stop)

a placeholder at the start, whose time is three days old
  09:00 started A 1/1 0@begin~09:00 at=11-20_09:00 | 09:01 updated A 77980 | 09:20 updated A 81000
  09:47 ended A 84492
  => ? -kWh from=11-20_09:00

a register that counts each session from 0
  09:00 started A 1/1 0 | 09:20 updated A 20000 | 09:50 ended A 31000
  => ? 31kWh Wh=0..? (start to stop)

a register that counts each session from 0, whose meter values repeat that 0
  09:00 start 1 0 tx=25 | 09:10 meter 1 1110@periodic 0@begin tx=25 | 09:20 meter 1 3000@periodic 0@begin tx=25
  09:30 stop 25 5000
  => ? 5kWh Wh=0..?

a session without energy whose stop never came, and the next one
  09:00 start 1 1000 tx=24 | 09:05 meter 1 1000 tx=24 | 10:00 start 1 1000 tx=25 | 10:10 meter 1 2000 tx=25
  10:30 stop 25 3000
  => ? from=09:00 to=- NotReported | ? 30min 2kWh from=10:00 (start to stop)

two starts of one register with different times are two sessions
  09:00 start 1 1000 tx=24 | 09:02 start 1 1000 tx=25 | 09:10 meter 1 2000 tx=25 | 09:30 stop 25 3000
  => ? -min -kWh #24 from=09:00 NotReported | ? 28min 2kWh #25 from=09:02 by=response

a start that is sent again with another time, and gets the same response
  09:00 start 1 1000 tx=25 | 09:02 start 1 1000 tx=25 | 09:10 meter 1 2000 tx=25 | 09:30 stop 25 3000
  => ? 30min 2kWh #25 from=09:00 by=response

a start that is sent again with another response, while a session of another connector runs
  09:00 start 1 1000 tx=25 | 09:00:20 start 1 1000 at=09:00 tx=26 | 09:05 start 2 1200 tx=27 | 09:30 stop 26 6000
  09:40 stop 27 8000
  => 1 5kWh #26 by=response | 2 6.8kWh #27 by=response

a session whose messages are all sent again after a boot, and get another response
  09:00 start 1 1000 tx=25 | 09:30 stop 25 6000 | 10:20 start 1 1000 at=09:00 tx=26
  10:20:01 stop 26 6000 at=09:30 | 10:30 start 1 6000 tx=27 | 10:50 stop 27 7000
  => ? 30min 5kWh #25 | ? 20min 1kWh #27

two sessions within a minute, by a clock without seconds
  09:00:10 start 1 1000 at=09:00 id=a tx=1 | 09:00:25 stop 1 1000 at=09:00
  09:00:45 start 1 1000 at=09:00 id=b tx=2 | 09:10 meter 1 1500 tx=2 | 09:30 stop 2 3000
  => 1 0min 0kWh #1 by=response | 1 30min 2kWh #2 by=response from=09:00

two sessions within a minute, by a clock without seconds, of which the second lasts for hours
  08:50:10 start 1 1000 at=08:50 id=a tx=1 | 08:50:25 stop 1 1000 at=08:50
  08:50:45 start 1 1000 at=08:50 id=b tx=2 | 10:50 stop 2 3000
  => 1 0min 0kWh #1 | 1 120min 2kWh #2 by=response from=08:50

two sessions within a minute, by a clock without seconds, of which the second has no stop
  09:00:10 start 1 0 at=09:00 id=a tx=1 | 09:00:25 stop 1 40 at=09:00 | 09:00:45 start 1 0 at=09:00 id=b tx=2
  09:10 meter 1 2000 tx=2 | 09:40 start 1 0 tx=3 | 10:00 stop 3 700
  => 1 0min 0.04kWh #1 | 1 -min 2kWh #2 from=09:00 NotReported | 1 20min 0.7kWh #3

two sessions within a minute, by a clock without seconds, whose readings have no ID and whose stops no register
  09:00:10 start 1 1000 at=09:00 id=a tx=1 | 09:00:20 meter 1 1001 | 09:00:25 stop 1 - at=09:00
  09:00:45 start 1 1000 at=09:00 id=b tx=2 | 09:01:10 meter 1 1100 | 09:29 meter 1 3000 | 09:30 stop 2 -
  => 1 0min #1 | 1 30min 2kWh #2 (start to last reading)

three sessions within a minute, by a clock without seconds
  09:00:10 start 1 1000 at=09:00 id=a tx=1 | 09:00:15 stop 1 1000 at=09:00
  09:00:20 start 1 1000 at=09:00 id=b tx=2 | 09:00:25 stop 2 1000 at=09:00
  09:00:30 start 1 1000 at=09:00 id=c tx=3 | 09:30 stop 3 3000
  => 1 0min 0kWh #1 | 1 0min 0kWh #2 | 1 30min 2kWh #3

a start that is sent again within a minute, by a clock without seconds, and two stops
  09:00:10 start 1 1000 at=09:00 id=a tx=1 | 09:00:45 start 1 1000 at=09:00 id=b tx=2 | 09:30 stop 2 3000
  09:31 stop 1 3000 at=09:30
  => 1 30min 2kWh #2 by=response

E3: both ends in one list, in any order
  09:00 started A 1/1 | 09:30 ended A 6000@end 1000@begin
  => ? 5kWh (Transaction.Begin to Transaction.End)

E4: seqNo begins again after a power cut
  09:00 started A 1/1 1000@begin | 09:03 updated A 2000 json={"seqNo":1}
  09:05 updated A 3500 json={"seqNo":2}
  09:20 updated A json={"triggerReason":"TxResumed","seqNo":0} | 09:40 ended A 9000 json={"seqNo":1}
  => ? 40min 8kWh (Transaction.Begin to stop)

E8: all readings in the last message
  09:00 started A 1/1 | 09:30 ended A 1000@begin 2000@periodic 4500@end
  => ? 3.5kWh

the begin of the session before, in the stop
  09:00 start 1 1000 tx=25 | 09:30 stop 25 3000 500@begin~08:00 3000@end~09:30
  => ? 2kWh Wh=1000..3000 (start to Transaction.End)

the begin of the session before, in the end
  09:00 started A 1/1 1000@begin | 09:30 ended A 500@begin~08:00 3000@end
  => ? 2kWh Wh=1000..3000 (Transaction.Begin to Transaction.End)

a begin that is not that of the start
  09:00 start 1 1000 tx=25 | 09:30 stop 25 3000 1@begin~09:00
  => ? 30min -kWh

a begin and an end that are not those of the start and the stop
  09:00 start 1 1000 tx=25 | 09:30 stop 25 3000 1@begin~09:00 3@end~09:30
  => ? 30min -kWh

an end that is below the stop
  09:00 start 1 1000 tx=25 | 09:30 stop 25 9000 1500@end~09:30
  => ? 30min -kWh

a begin and an end some seconds from the start and the stop
  09:00 start 1 1000 tx=25 | 09:00:09 meter 1 1020@begin tx=25 | 09:30 stop 25 3000 2980@end~09:29:55
  => ? 1.96kWh (Transaction.Begin to Transaction.End)

an end without readings, and the last one in a message just after it
  09:00 started A 1/1 1000@begin | 09:15 updated A 3000@periodic | 09:30 ended A | 09:30:05 updated A 6000@end
  => ? 30min 5kWh Wh=?..6000 (Transaction.Begin to Transaction.End)

an end without readings, and others just after it, without a context
  09:00 started A 1/1 1000 | 09:15 updated A 3000 | 09:30 ended A | 09:30:05 updated A 6000
  09:31:05 updated A 6500
  => ? 30min 5kWh (start to last reading)

a Begin of 0 that a later message corrects
  09:00 started A 1/1 0@begin | 09:30 ended A 1000@begin 4500@end
  => ? 3.5kWh

E9: the end of transactionData in place of meterStop -1
  09:00 start 1 1000 | 09:30 stop 25 -1 4000@end
  => ? 3kWh Wh=?..4000 (start to Transaction.End)

a stop without a register, and the last one in meter values just after it
  09:00 start 1 1000 tx=25 | 09:15 meter 1 3000 tx=25 | 09:30 stop 25 -1 | 09:30:05 meter 1 6000@end tx=25
  09:30:30 start 1 6000 tx=26 | 09:30:40 meter 1 6100@begin tx=26 | 09:50 stop 26 - | 09:51 meter 1 8100@end
  09:50:30 meter 1 9000 | 09:51:30 meter 1 9100@end tx=26
  => ? 30min 5kWh Wh=?..6000 (start to Transaction.End) | ? 2kWh Wh=?..8100 (Transaction.Begin to Transaction.End)

a stop without a register, and meter values of another session just after it
  09:00 start 1 1000 tx=25 | 09:15 meter 1 3000 tx=25 | 09:30 stop 25 -1 | 09:30:50 meter 1 6200 tx=26
  => ? 2kWh (start to last reading)

meter values just after a stop that has a register
  09:00 start 1 1000 tx=25 | 09:30 stop 25 6000 | 09:30:05 meter 1 6400@end tx=25
  => ? 5kWh (start to stop)

readings in kWh with two decimals, rounded up above the stop in Wh
  09:00 start 1 1000 tx=25 | 09:15 meter 1 3.50 tx=25 sample={"unit":"kWh"}
  09:29 meter 1 6.00 tx=25 sample={"unit":"kWh"} | 09:30 stop 25 5996
  => ? 4.996kWh Wh=1000..5996 (start to stop)

readings in whole kWh, above the stop and below the start
  09:00 start 1 1400 tx=25 | 09:00:10 meter 1 1 tx=25 sample={"unit":"kWh"}
  09:29 meter 1 6 tx=25 sample={"unit":"kWh"} | 09:30 stop 25 5600
  => ? 4.2kWh Wh=1400..5600 (start to stop)

a begin and an end in whole kWh, and a start and a stop in Wh
  09:00 start 1 1400 tx=25 | 09:00:05 meter 1 1@begin tx=25 sample={"unit":"kWh"}
  09:29:55 meter 1 6@end tx=25 sample={"unit":"kWh"} | 09:30 stop 25 5600
  => ? 4.2kWh Wh=1400..5600 (start to stop)

readings in kWh above the stop by more than their rounding
  09:00 start 1 1000 tx=25 | 09:29 meter 1 6.01 tx=25 sample={"unit":"kWh"} | 09:30 stop 25 5996
  => ? -kWh

a register that falls in Wh, with a reading in whole kWh in between
  09:00 start 1 1000 tx=25 | 09:10 meter 1 5990 tx=25 | 09:15 meter 1 6 tx=25 sample={"unit":"kWh"}
  09:20 meter 1 5200 tx=25 | 09:30 stop 25 5996
  => ? -kWh

E10: meterStart and meterStop of 0, and meter values
  09:00 start 1 0 tx=25 | 09:10 meter 1 1000 tx=25 | 09:20 meter 1 2000 tx=25 | 09:29 meter 1 3000 tx=25
  09:30 stop 25 0
  => ? 3kWh (start to last reading)

a meter that only ever says 0
  09:00 start 1 0 | 09:30 stop 25 0
  => ? 30min -kWh

a meterStop that is that of the start, though meter values without a transaction are above it
  09:00 start 1 1000 | 09:10 meter 1 2000 | 09:20 meter 1 3 tx=-1 sample={"unit":"kWh"} | 09:29 meter 1 4000
  09:30 stop 25 1000 | 10:00 meter 1 9000
  => ? 30min -kWh Wh=1000..-

no meterStop, and meter values without a transaction
  09:00 start 1 1000 | 09:10 meter 1 2000 | 09:20 meter 1 3 tx=-1 sample={"unit":"kWh"} | 09:29 meter 1 4000
  09:30 stop 25 - | 10:00 meter 1 9000
  => ? 3kWh (start to last reading)

a register that rises faster than a megawatt allows
  09:00 start 1 1000 | 09:10 meter 1 2000 | 09:11 meter 1 900000000 | 09:30 stop 25 4000
  => ? 3kWh (start to stop)

a stop that is higher than a megawatt allows
  09:00 start 1 1000 tx=25 | 09:20 meter 1 2000 | 09:30 stop 25 900000000
  => ? 1kWh (start to last reading)

a stop that is lower than the start, and no other reading
  09:00 start 1 5000 | 09:30 stop 25 400
  => ? -kWh (-)

values that contradict each other
  09:00 start 1 1000 | 09:20 meter 1 9000 | 09:30 stop 25 5000
  => ? -kWh

a register that begins again with a boot
  09:00 start 1 50000 tx=25 | 09:10 meter 1 52000 tx=25 | 09:20 meter 1 500 tx=25 | 09:30 stop 25 1500
  => ? 30min -kWh Wh=50000..-

a register that begins again, and passes where it was at the start
  09:00 start 1 1000 tx=25 | 09:10 meter 1 1500 tx=25 | 09:20 meter 1 20 tx=25 | 09:25 meter 1 900 tx=25
  09:40 stop 25 1800
  => ? 40min -kWh Wh=1000..-

a register that begins again, and passes where it was at the start, long before the end
  08:55 start 1 1000 tx=25 | 09:05 meter 1 1500 tx=25 | 09:10 meter 1 20 tx=25 | 09:15 meter 1 500 tx=25
  09:20 meter 1 900 tx=25 | 09:25 meter 1 1200 tx=25 | 10:00 meter 1 1500 tx=25 | 10:50 stop 25 1800
  => ? 115min -kWh Wh=1000..-

a reading below that of the begin, at the time of the begin
  09:00 started A 1/1 900@periodic 1000@begin | 09:30 ended A 3000@end 2900@periodic
  => ? 2kWh (Transaction.Begin to Transaction.End)

a register that begins again, and has not passed where it was when the next session begins
  09:00 start 1 1000 tx=25 | 09:10 meter 1 1500 tx=25 | 09:20 meter 1 20 tx=25 | 09:25 meter 1 900 tx=25
  09:40 start 1 950 tx=26 | 10:10 stop 26 1950
  => ? -min -kWh #25 NotReported Wh=1000..- | ? 30min 1kWh #26

a register that begins again above where it was at the start
  09:00 start 1 1000 tx=25 | 09:10 meter 1 3500 tx=25 | 09:20 meter 1 1200 tx=25 | 09:40 stop 25 5000
  => ? 40min -kWh Wh=1000..-

a register that counts from 0 and begins again with a boot
  09:00 started A 1/1 0@begin | 09:20 updated A 3500 | 09:35 updated A 200 | 10:00 ended A 5000@end
  => ? 60min -kWh Wh=0..-

a register that counts from 0 and begins again in a session without a stop
  09:00 start 1 0 tx=5 | 09:10 meter 1 3500 tx=5 | 09:20 meter 1 200 tx=5 | 09:35 meter 1 4000 tx=5
  10:00 start 1 4000 tx=6 | 10:20 stop 6 6000
  => 1 -min -kWh #5 NotReported | 1 20min 2kWh #6

a register that begins again within a half hour, long before the end
  08:55 start 1 0 tx=25 | 09:01 meter 1 1000 tx=25 | 09:04 meter 1 2000 tx=25 | 09:07 meter 1 3500 tx=25
  09:10 meter 1 1200 tx=25 | 09:13 meter 1 1500 tx=25 | 09:20 meter 1 4000 tx=25 | 09:27 meter 1 5000 tx=25
  10:10 meter 1 9000 tx=25 | 10:50 stop 25 12000
  => ? 115min -kWh Wh=0..-

a reading above the connector's limit, before lower ones
  09:00 start 1 1000 tx=25 | 09:10 meter 1 9900000 tx=25 | 09:20 meter 1 3000 tx=25 | 09:30 stop 25 6000
  => ? 5kWh (start to stop)

a reading from which the register cannot have risen to the last one
  09:00 start 1 500000 tx=25 | 09:10 meter 1 590000 tx=25 | 09:29 meter 1 510000 tx=25 | 09:30 stop 25 600000
  => ? 100kWh (start to stop)

values of one message that all have its time
  09:00 start 1 1000 tx=25 | 09:20 meter 1 3500 tx=25 | 09:25 meter 1 2000~09:25 1000~09:00 3500~09:25 tx=25
  09:40 stop 25 6000 3000~09:40 1000~09:00 4000~09:40
  => ? 5kWh (start to stop)

a clock that is set back between readings
  09:00 start 1 1000 tx=25 | 09:10 meter 1 2500 tx=25 at=09:20 | 09:15 meter 1 3000 tx=25 at=09:15 | 09:40 stop 25 6000
  => ? 5kWh (start to stop)

two readings that are so low that the register cannot have begun again
  09:00 start 1 500000 tx=25 | 09:10 meter 1 501000 tx=25 | 09:15 meter 1 5 tx=25 | 09:16 meter 1 6 tx=25
  09:20 meter 1 504000 tx=25 | 09:30 stop 25 505000
  => ? 5kWh (start to stop)

parts per phase
  09:00 started A 1/1
  09:30 ended A 100@begin/L1~09:00 100@begin/L2~09:00 100@begin/L3~09:00 100@begin/L1-L2~09:00 1100@end/L1 1100@end/L2 1100@end/L3 1100@end/L1-L2
  => ? 3kWh Wh=300..?

parts of fewer phases at the end
  09:00 started A 1/1
  09:30 ended A 100@begin/L1~09:00 100@begin/L2~09:00 100@begin/L3~09:00 1100@end/L1 1100@end/L2
  => ? 30min -kWh

parts per phase, and a total that cannot be read
  09:00 start 1 -1 tx=25 | 09:01 meter 1  100/L1 100/L2 100/L3 tx=25
  09:29 meter 1  1100/L1 1100/L2 1100/L3 tx=25 | 09:30 stop 25 -1
  => ? 3kWh Wh=300..? (first reading to last reading)

a register of one phase
  09:00 started A 1/1 1000/L1 | 09:30 ended A 6000/L1
  => ? 5kWh (start to stop)

a placeholder at the beginning, and readings only in the last message
  09:00 started A 1/1 | 09:30 ended A 0@begin 902000@periodic 904500@end
  => ? 2.5kWh (first reading to Transaction.End)

meter values of the EVSE, outside the transaction
  09:00 started A 1/1 | 08:55 evse 1 900 | 09:01 evse 1 1000 | 09:29 evse 1 4000 | 09:30 ended A
  09:45 evse 1 8000
  => ? 3kWh (first reading to last reading)

meter values of an EVSE that its transaction names later
  09:00 started A | 09:01 evse 1 1000 | 09:10 updated A 1/1 2000 | 09:30 ended A 5000@end
  => ? 4kWh (first reading to Transaction.End)

meter values of the EVSE of a session that lasts for over an hour
  09:00 started A 1/1 | 09:01 evse 1 1000 | 10:20 updated A 4000 | 10:40 ended A 6000@end
  => ? 5kWh (first reading to Transaction.End)

no register but a signed one, one of the grid, and one in an unknown unit
  09:00 start 1 -1 | 09:10 meter 1 1000 sample={"format":"SignedData"}
  09:11 meter 1 2000 sample={"unit":"Percent"}
  09:12 meter 1 2000 sample={"measurand":"Energy.Active.Export.Register"} | 09:30 stop 25 -1
  => ? -kWh Wh=-..-

I13: the station stops with -1, although the start was answered
  09:00 start 1 1000 tx=25 | 09:30 stop -1 6000
  => 1 5kWh by=order

I3: an ID of OCPP 1.6 that a transaction of OCPP 2.0.1 has, too, of which one message each is lost
  09:00 start 1 1000 tx=5 | 10:20 ended 5 6000
  => - -min -kWh #5 by=nothing Wh=-..6000

I3: an ID of OCPP 1.6 that a transaction of OCPP 2.0.1 has, too, and whose stop is lost
  09:00 start 1 1000 tx=5 | 10:00 started 5 1/1 5000 | 10:10 updated 5 5500 | 10:20 ended 5 6000
  => 1 -min -kWh #5 from=09:00 NotReported | 1/1 20min 1kWh #5 from=10:00 by=id

I3: an ID of OCPP 2.0.1 that a session of OCPP 1.6 has, too, of which one message each is lost
  09:00 started 5 1/1 1000 | 09:10 updated 5 2000 | 10:20 stop 5 6000
  => - -min -kWh #5 by=nothing Wh=-..6000

I13: the station stops with -1, and its reading names the start
  09:00 start 1 1000 tx=25 | 09:20 meter 1 4000 tx=25 | 09:30 stop -1 6000 | 09:30:30 meter 1 6000 tx=25
  => 1 30min 5kWh by=order

a stop without an ID, of a session whose own stop comes before it
  09:00 start 1 1000 tx=25 | 09:19 meter 1 1500 tx=25 | 09:19:40 stop 25 2000 | 09:20 stop -1 7400
  => 1 19min 1kWh #25 by=response | - -min -kWh #-1 to=09:20 by=nothing

a stop without an ID, of a session whose own stop comes soon after it
  09:00 start 1 1000 tx=25 | 09:19 meter 1 1500 tx=25 | 09:20 stop -1 7400 | 09:20:20 stop 25 2000
  => - -min -kWh #-1 to=09:20 by=nothing | 1 20min 1kWh #25 by=response

a stop without an ID, of a session whose own stop comes soon after it and waits for its register
  09:00 start 1 1000 tx=25 | 09:20 stop -1 7400 | 09:20:20 stop 25 - | 09:21 meter 1 2000@end tx=25
  => - -min -kWh #-1 to=09:20 by=nothing | 1 20min 1kWh #25 by=response

a stop without an ID, and is sent again with the ID of its session
  09:00 start 1 1000 tx=25 | 09:20 stop -1 2000 | 09:20:20 stop 25 2000
  => 1 20min 1kWh #25 by=response

a stop without an ID, its register lower than the readings of the only session
  09:00 start 1 1000 tx=25 | 09:19 meter 1 1500 tx=25 | 09:20 stop -1 1400 | 09:50 stop 25 3000
  => - -min -kWh #-1 by=nothing | 1 50min 2kWh #25 by=response

a stop without an ID, its register out of reach for the only session
  09:00 start 1 1000 tx=25 | 09:19 meter 1 1500 tx=25 | 09:20 stop -1 50000 | 09:50 stop 25 3000
  => - -min -kWh #-1 by=nothing | 1 50min 2kWh #25 by=response

a stop without an ID, its register higher than readings of a session that continues
  09:00 start 1 1000 tx=25 | 09:20 stop -1 7400 | 09:20:20 meter 1 1560 tx=25 | 09:50 start 1 3000 tx=26
  10:10 stop 26 4000
  => - -min -kWh #-1 by=nothing | 1 -min 0.56kWh #25 NotReported | 1 20min 1kWh #26

a stop without an ID while its session continues
  09:00 start 1 1000 tx=25 | 09:20 stop -1 1800 | 09:20:40 meter 1 1850 tx=25 | 09:50 stop 25 3000
  => - -min -kWh #-1 by=nothing | 1 50min 2kWh #25 by=response

a stop without an ID, and the last reading of its session after it
  09:00 start 1 1000 tx=25 | 09:20 stop -1 1800 | 09:20:10 meter 1 1802@end tx=25
  => 1 20min 0.802kWh #-1 by=order (start to Transaction.End)

a stop without an ID, sent before the session began by its own clock
  09:00 start 1 1000 tx=25 | 09:20 stop -1 1400 at=08:50 | 09:50 stop 25 3000
  => - -min -kWh #-1 by=nothing | 1 50min 2kWh #25 by=response

a stop without an ID just before its session is over without it
  09:00 start 1 1000 tx=25 | 09:10 start 1 5000 tx=26 | 09:29:30 stop -1 4000 at=09:08 | 09:50 stop 26 6000
  => 1 8min 3kWh #-1 by=order | 1 40min 1kWh #26 by=response

I13: the station stops with a number of its own, though its starts are answered
  09:00 start 1 1000 tx=25 | 09:30 stop 7 6000
  => - -min -kWh #7 by=nothing

I13: the station stops with a number of its own, and its starts were never answered
  09:00 start 1 1000 | 09:30 stop 7 6000
  => 1 30min 5kWh #7 by=order

a stop of a session that began long ago takes no other start
  09:00 start 2 1000 tx=26 | 09:05 meter 2 1100 tx=26 | 09:10 stop 25 90000 | 09:30 stop 26 6000
  => ? -min -kWh #25 by=nothing | ? 5kWh #26 by=response

a stop that has its register twice, and no start
  09:30 stop 25 6000 6000@end
  => ? -kWh by=nothing Wh=-..6000

an end that has its register twice, and no start
  09:30 ended A 6000 6000@end
  => ? -kWh by=nothing Wh=-..6000

an end without a start that is sent again by a clock that is not set
  09:30 ended A 6000 at=- | 09:31 ended A 6000 at=-
  => ? -kWh by=nothing Wh=?..6000

a session that uses nothing and has no stop, before another one that ends soon
  09:00 start 1 1000 tx=24 | 09:05 meter 1 1000 tx=24 | 09:20 start 1 1000 tx=25 | 09:23 meter 1 1500 tx=25
  09:26 stop 25 2000
  => ? 0kWh #24 NotReported | ? 1kWh #25 Local

the stop of a session two days ago, sent after a boot while another one runs that began at 0
  09:00 start 1 0 tx=26 | 09:10 stop 13 4200 at=11-21_18:00 | 09:40 stop 26 6000
  => ? -min -kWh #13 by=nothing | ? 40min 6kWh #26 by=response

the stop of a session two days ago, sent after a boot while another one runs that began at 50000
  09:00 start 1 50000 tx=26 | 09:10 stop 13 54200 at=11-21_18:00 | 09:40 stop 26 56000
  => ? -min -kWh #13 by=nothing | ? 40min 6kWh #26 by=response

I2: the same ID on two connectors; the second stop decides the first one
  09:00 start 1 80000 tx=1 | 09:02 start 2 50000 tx=1 | 09:30 stop 1 84000 | 09:35 stop 1 57000
  => 1 4kWh | 2 7kWh

I2: the same ID on two connectors; the second stop comes late
  09:00 start 1 80000 tx=1 | 09:02 start 2 50000 tx=1 | 09:30 stop 1 84000 | 09:50 stop 1 57000
  10:00 start 1 84000 | 10:01 start 2 57000
  => - -kWh by=nothing | 2 7kWh

I2: the same ID on two connectors, and no stop for the first one
  09:00 start 1 80000 tx=1 | 09:10 meter 1 80500 tx=1 | 09:20 start 2 50000 tx=1 | 09:25 meter 1 81000 tx=1
  09:30 stop 1 51000 | 09:35 meter 1 82000 tx=1 | 10:10 start 1 83000 tx=2
  => 2 1kWh | 1 2kWh NotReported

I2: the same ID on two connectors, of which readings name one: the stop can be that of the other one
  09:00 start 1 50000 tx=1 | 09:02 start 2 80000 tx=1 | 09:10 meter 1 51000 tx=1 | 09:30 stop 1 84000
  => - -min -kWh #1 by=nothing

I3: the same ID again on another connector, seconds after a stop whose start is lost
09:05:16 stop 1 2155 | 09:05:22 start 3 0 | 09:05:22 tx 1 | 09:05:23 meter 3 0@begin tx=1 | 10:06:39 stop 1 10308
=> - -min -kWh #1 by=nothing | 3 61min 10.308kWh #1

I3: the same ID again seconds after a stop, both starts lost
09:05:16 stop 1 2155 | 09:05:22 tx 1 to=lost | 09:05:23 meter 3 0@begin tx=1 | 10:06:39 stop 1 10308
=> - -min -kWh #1 by=nothing Wh=-..2155 | - -min -kWh #1 by=nothing Wh=-..10308

I3: the same ID again on another connector, seconds after a stop, both starts without a response
09:00 start 1 0 | 09:05:16 stop 1 2155 | 09:05:22 start 3 0 | 09:05:23 meter 3 0@begin tx=1 | 10:06:39 stop 1 10308
=> 1 5min 2.155kWh #1 | 3 61min 10.308kWh #1

a reading at the begin of the next session that has the same ID, both starts lost
  09:00 tx 4 to=a | 09:32 stop 4 4570871 | 09:35 tx 4 to=b | 09:35:10 meter 1 4569816@begin tx=4
  => - -min -kWh #4 by=nothing Wh=-..4570871

I3: the same ID a third time, while the end of the second one waits, and the EVSE of the first one again
  08:55 started 1 | 08:56 updated 1 1/1 | 09:10 ended 1 | 09:20 started 1 | 09:25 updated 1 2/1
  10:43:31 ended 1 at=09:40 | 10:43:32 started 1 at=10:03 | 10:43:33 updated 1 1/1 at=10:05
  10:43:34 ended 1 at=10:40
  => 1/1 | 2/1 | 1/1

I3: the same ID again, by a clock that is ahead at the start
  09:00 start 1 1000 tx=1 | 09:10 stop 1 2000 | 09:30 start 1 2000 at=09:38 tx=1 | 09:37 stop 1 2500
  => ? 10min 1kWh | ? 7min 0.5kWh by=response

I3: the same ID again after a boot
  09:00 started 1 1/1 1000 | 09:10 ended 1 2000 | 09:30 started 1 1/1 2000 | 09:40 updated 1 5000
  09:50 ended 1 6000
  => ? 10min 1kWh | 1/1 20min 4kWh

I3: the same ID again at 09:30, the first readings a fraction of a second before the start
  09:00:00.600 started 1 1/1 at=10:00
  09:10 ended 1 1000@begin~2026-11-23T09:00:00 1500@periodic~2026-11-23T09:05:00 2000@end~2026-11-23T09:10:00
  09:30:00.600 started 1 1/1 at=10:30
  09:40 ended 1 5000@begin~2026-11-23T09:30:00 7000@periodic~2026-11-23T09:35:00 8000@end~2026-11-23T09:40:00
  => ? 1kWh (Transaction.Begin to Transaction.End) | ? 3kWh (Transaction.Begin to Transaction.End)

I3: the same ID again at 10:40, the first readings a fraction of a second before the start
  09:00:00.600 started 1 1/1 at=10:00
  09:10 ended 1 1000@begin~2026-11-23T09:00:00 1500@periodic~2026-11-23T09:05:00 2000@end~2026-11-23T09:10:00
  10:40:00.600 started 1 1/1 at=11:40
  10:50 ended 1 5000@begin~2026-11-23T10:40:00 7000@periodic~2026-11-23T10:45:00 8000@end~2026-11-23T10:50:00
  => ? 1kWh (Transaction.Begin to Transaction.End) | ? 3kWh (Transaction.Begin to Transaction.End)

I3: the same ID again, OCPP 1.6
  09:00 start 1 1000 tx=1 | 09:10 stop 1 2000 | 09:30 start 1 2000 tx=1 | 09:50 stop 1 6000
  => ? 10min 1kWh | ? 20min 4kWh

message IDs that begin again with a boot, the sessions one after the other
  09:00 start 1 1000 id=1000005 tx=25 | 09:30 stop 25 2000 | 09:40 start 1 2000 id=1000005 tx=26
  10:00 stop 26 6000
  => ? 1kWh #25 by=response | ? 4kWh #26 by=response

message IDs that begin again with a boot, the sessions both at once
  09:00 start 1 1000 id=1000005 tx=25 | 09:20 start 2 1500 id=1000005 tx=26 | 10:00 stop 26 2500
  10:10 stop 25 6000
  => 2 1kWh #26 by=response | 1 5kWh #25 by=response

message IDs and transaction IDs that begin again with a boot
  09:00 start 1 1000 id=5 tx=1 | 09:30 stop 1 2000 | 09:40 start 1 2000 id=5 tx=1 | 10:00 stop 1 6000
  => ? 1kWh by=response | ? 20min 4kWh by=response

the register at the start, a fraction of a second before it, in MeterValues without an ID
  09:00 start 1 0 at=09:00:00.600 tx=25 | 09:00:02 meter 1 1000@begin at=09:00 | 09:30 stop 25 6000
  => ? 5kWh Wh=1000..? (Transaction.Begin to stop)

the register at the start, a fraction of a second before it, in MeterValues with its ID
  09:00 start 1 0 at=09:00:00.600 tx=25 | 09:00:02 meter 1 1000@begin at=09:00 tx=25 | 09:30 stop 25 6000
  => ? 5kWh Wh=1000..? (Transaction.Begin to stop)

the register at the start, in MeterValues that were created just before it
  08:59:59 meter 1 1000@begin at=09:00 | 09:00 start 1 0 tx=25 | 09:30 stop 25 6000
  => ? 5kWh Wh=1000..? (Transaction.Begin to stop)

the register at the start of the next session, a fraction of a second before it, in MeterValues without an ID, each start answered
  09:00 start 1 1000 tx=25 | 09:10 meter 1 2000 tx=25 | 09:20 meter 1 2500@begin
  09:20:01 start 1 0 at=09:20:00.600 tx=26 | 09:40 stop 26 6000
  => ? 1kWh #25 NotReported Wh=1000..? | 1 3.5kWh #26 Wh=2500..?

the register at the start of the next session, a fraction of a second before it, in MeterValues without an ID, no start answered
  09:00 start 1 1000 | 09:10 meter 1 2000 tx=25 | 09:20 meter 1 2500@begin | 09:20:01 start 1 0 at=09:20:00.600
  09:40 stop 26 6000
  => ? 1kWh #25 NotReported Wh=1000..? | 1 3.5kWh #26 Wh=2500..?

the register at the start of the next session, a fraction of a second before it, in MeterValues with its ID, each start answered
  09:00 start 1 1000 tx=25 | 09:10 meter 1 2000 tx=25 | 09:20 meter 1 2500@begin tx=26
  09:20:01 start 1 0 at=09:20:00.600 tx=26 | 09:40 stop 26 6000
  => ? 1kWh #25 NotReported Wh=1000..? | 1 3.5kWh #26 Wh=2500..?

the register at the start of the next session, a fraction of a second before it, in MeterValues with its ID, no start answered
  09:00 start 1 1000 | 09:10 meter 1 2000 tx=25 | 09:20 meter 1 2500@begin tx=26
  09:20:01 start 1 0 at=09:20:00.600 | 09:40 stop 26 6000
  => ? 1kWh #25 NotReported Wh=1000..? | 1 3.5kWh #26 Wh=2500..?

only Updated names the connector of the EVSE
  09:00 started A 1/ 1000 | 09:01 updated A 1/1 | 09:30 ended A 6000
  => 1/1 30min 5kWh

Ended names another connector of the EVSE than Started
  09:00 started A 1/1 1000 | 09:10 updated A 1/1 2000 | 09:30 ended A 1/2 3000 | 10:00 started B 1/1 3000
  10:30 ended B 3500
  => 1/1 30min 2kWh #A by=id | 1/1 30min 0.5kWh #B by=id

Updated and Ended name another EVSE than Started
  09:00 started A 1/1 1000 | 09:10 updated A 2/1 2000 | 09:30 ended A 2/1 3000
  10:00 started B 1/1 3000 | 10:30 ended B 3500
  => 1/1 30min 2kWh #A by=id | 1/1 30min 0.5kWh #B by=id

only Ended names the connector of the EVSE
  09:00 started A 1/ 1000 | 09:01 updated A | 09:30 ended A 1/1 6000
  => 1/1 30min 5kWh

a start at connector 0 of an EVSE
  09:00 started A 1/0 1000 | 09:01 updated A | 09:30 ended A 6000
  => 1 30min 5kWh

a start at connector 0 of an EVSE, and connector 1 later
  09:00 started A 1/0 1000 | 09:01 updated A 1/1 | 09:30 ended A 6000
  => 1/1 30min 5kWh

a start at EVSE 0, and connector 1 of EVSE 1 later
  09:00 started A 0/0 1000 | 09:01 updated A 1/1 | 09:30 ended A 6000
  => 1/1 30min 5kWh

a start at EVSE 0
  09:00 started A 0/ 1000 | 09:01 updated A | 09:30 ended A 6000
  => - 30min 5kWh

connector 0 of an EVSE, no end, and another session of its connector 1
  09:00 started A 1/0 1000 | 09:10 updated A 2500 | 09:30 started B 1/1 2600 | 09:50 ended B 6600
  => 1 1.5kWh #A NotReported | 1/1 4kWh #B

only Updated names the connector of the EVSE, and another session begins on its other connector
  09:00 started A 1/ 1000 | 09:01 updated A 1/2 | 09:30 started B 1/1 2500 | 09:50 ended B 4500
  10:00 ended A 7000
  => 1/1 2kWh #B | 1/2 60min 6kWh #A Local

the same ID on two EVSEs at the same time, OCPP 2.0.1
  09:00 started 1 1/1 80000 | 09:02 started 1 2/1 50000 | 09:30 ended 1 1/1 84000 | 09:40 ended 1 2/1 57000
  => 1/1 30min 4kWh | 2/1 38min 7kWh

the same ID on two EVSEs, whose ends name none: the register decides, and the first one fits both
  09:00 started 1 1/1 80000 | 09:02 started 1 2/1 50000 | 09:30 ended 1 84000 | 09:40 ended 1 57000
  10:00 started 2 1/1 84000 | 10:02 started 3 2/1 57000
  => - -min -kWh by=nothing | 2/1 38min 7kWh by=id

the same ID on two EVSEs one after the other, OCPP 2.0.1
  09:00 started 1 1/1 80000 | 09:30 ended 1 84000 | 09:40 started 1 2/1 50000 | 09:50 ended 1 52000
  => 1/1 30min 4kWh | 2/1 10min 2kWh

I11: no stop, and another session of the connector
  09:00 start 1 1000 tx=1 | 09:10 meter 1 1500 tx=1 | 09:12 meter 1 2000 tx=1 | 09:14 meter 1 2500 tx=1
  09:30 start 1 2600 tx=2 | 09:50 stop 2 6600
  => 1 -min 1.5kWh #1 from=09:00 to=- by=- NotReported received=09:30 (start to last reading) | ? 20min 4kWh #2

I11: the same, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:10 updated A 2500 | 09:30 started B 1/1 2600 | 09:50 ended B 6600
  => 1/1 -min 1.5kWh #A from=09:00 to=- NotReported | ? 20min 4kWh #B

I11: the stop comes long after the next start
  09:00 start 1 1000 tx=1 | 09:30 start 1 2600 tx=2 | 10:00 stop 1 2600 at=09:20 | 10:10 stop 2 6600
  => ? -kWh #1 NotReported | ? 40min 4kWh #2

I11: the end comes long after the next start, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:30 started B 1/1 2600 | 10:00 ended A 2600~10:00 at=09:20 | 10:10 ended B 6600
  => ? #A NotReported | ? 4kWh #B

a stop that is a second after the next start by both clocks still ends its session
  09:00 start 1 1000 tx=25 | 09:30 start 1 6000 tx=26 | 09:30:01 stop 25 6000 | 09:50 stop 26 9000
  => ? 30min 5kWh #25 Local | ? 20min 3kWh #26

a stop soon after the next start still ends its session
  09:00 start 1 1000 tx=1 | 09:30 start 1 2600 tx=2 | 09:35 stop 1 2600 at=09:20 | 10:10 stop 2 6600
  => ? 20min 1.6kWh #1 | ? 40min 4kWh #2

I12: the same stop again, with another time
  09:00 start 1 1000 tx=25 | 09:30 stop 25 6000 | 09:40 start 2 1000 | 09:45 stop 25 6000
  => ? 30min 5kWh

I12: the same stop again, with another time and no ID
  09:00 start 1 1000 | 09:05 start 2 500 | 09:10 meter 2 700 tx=26 | 09:30 stop 26 6000 | 09:31 stop -1 7000
  09:45 stop -1 7000
  => 2 5.5kWh | 1 6kWh

I12: the same stop again, with another time and another ID
  09:00 start 1 1000 tx=25 | 09:30 stop 25 6000 | 09:45 stop -1 6000
  => ? 30min 5kWh #25

I12: the same end again, with another time, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:30 ended A 6000 | 09:45 ended A 6000
  => ? 30min 5kWh

the same start again, after the session, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:30 ended A 6000 | 09:40 started A 1/1 1000~09:40 at=09:00
  10:00 started B 1/1 6000 | 10:30 ended B 8000
  => ? 30min 5kWh #A | ? 30min 2kWh #B

the same ID again, whose start names no EVSE
  09:00 started 1 1000 | 09:01 updated 1 1/1 | 09:20 ended 1 2000 | 09:40 started 1 2000 | 09:41 updated 1 2/1
  10:00 ended 1 5000
  => 1/1 20min 1kWh | 2/1 20min 3kWh

the same start again, with another time, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:02 started A 1/1 1000 | 09:30 ended A 6000
  => ? 30min 5kWh from=09:00

a clock that is set back between two sessions
  09:00 start 1 1000 at=09:08 tx=25 | 09:05 stop 25 1500 at=09:13 | 09:06 start 1 1500 tx=26 | 09:30 stop 26 4500
  => ? 5min 0.5kWh #25 | ? 24min 3kWh #26 from=09:06

a clock that is set back between two sessions, and the last reading of the first one just after the second start, without an ID
  09:00 start 1 0 tx=25 | 09:10:21 stop 25 1604 | 09:10:42 start 1 0 at=09:08:54 tx=26
  09:10:48 meter 1 1604@end at=09:10:21 | 09:15:29 stop 26 815
  => ? 1.604kWh #25 | ? 0.815kWh #26 (start to stop)

a clock that is set back between two sessions with the same ID, and the last reading of the first one
  09:00 start 1 1000 tx=1 | 09:20 meter 1 3000@end tx=1 | 09:20 stop 1 3000 | 09:21:30 start 1 3000 at=09:18 tx=1
  09:40 stop 1 8000
  => ? 2kWh #1 | ? 22min 5kWh #1 from=09:18

a last reading without an ID and with a wrong clock, just after the next start
  09:00 start 1 1000 at=11:00 tx=25 | 09:10 stop 25 6000 at=11:10 | 09:10:20 start 1 6000 tx=26
  09:11:25 meter 1 6000@end at=11:10 | 09:20 stop 26 7500
  => ? 5kWh #25 | ? 1.5kWh #26 (start to stop)

a clock that is set back between two sessions, OCPP 2.0.1
  09:00 started A 1/1 1000~09:00 at=09:08 | 09:05 ended A 1500~09:05 at=09:13 | 09:06 started B 1/1 1500
  09:30 ended B 4500
  => ? 5min 0.5kWh #A | ? 24min 3kWh #B from=09:06

a clock that is set back between two sessions, of which the second ends without an ID
  09:00 start 1 1000 at=09:08 tx=25 | 09:05 stop 25 1500 | 09:06 start 1 1500 | 09:07 start 2 50000 tx=27
  09:30 stop -1 0 | 09:40 stop 27 53000
  => ? 5min 0.5kWh #25 | - #-1 by=nothing | 2 3kWh #27

a stop without an ID that can be of two sessions, though one of them ends soon after it
  09:00 start 1 33000 tx=24 | 09:07 start 2 37000 | 09:07:01 meter 2 37000 tx=25 | 09:15 stop none 37700
  09:15:07 stop 24 33500 | 09:23 start 2 47000 at=09:31 | 09:23:01 meter 2 47000 tx=26 | 09:31 stop 26 47500
  => - -kWh #null by=nothing | 1 0.5kWh #24 | 2 -kWh #26 by=nothing

a stop without an ID, and later one with the ID that only meter values named
  09:00 start 1 1000 | 09:05 meter 1 1000 tx=25 | 09:30 stop -1 0 | 09:33 stop 25 6000
  => 1 30min #-1

a session whose start is missing, after another one of its connector
  09:00 start 1 1000 tx=25 | 09:05 meter 1 1100 tx=25 | 09:20 stop 25 2000 | 09:40 meter 1 3000 tx=26
  09:50 stop 26 4000
  => ? 1kWh #25 by=response | 1 -kWh #26 by=nothing

a clock that is set back by hours after a session has ended: the next one still charges
  09:00 start 1 1000 tx=1 | 09:20 stop 1 2000 | 09:30 start 1 2000 at=04:30 tx=2 | 10:30 stop 2 4000 at=05:30
  => 1 20min 1kWh #1 by=response | 1 60min 2kWh #2 by=response from=04:30 to=05:30

a clock that is set back after a session has ended, whose next one has readings without an ID by a clock that is right again
  09:00 start 1 1000 tx=1 | 09:10 stop 1 2000 | 09:20 start 1 2000 at=08:50 tx=2 | 09:50 meter 1 2500
  10:20 meter 1 3000 | 10:40 stop 2 -1
  => 1 10min 1kWh #1 | 1 110min 1kWh #2 (start to last reading)

a clock that is set back by hours after a session has ended, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:20 ended A 2000 | 09:30 started B 1/1 2000 at=04:30 | 10:00 updated B 3000 at=05:00
  10:30 ended B 4000 at=05:30
  => 1/1 20min 1kWh #A | 1/1 60min 2kWh #B from=04:30 to=05:30

local time without a zone, as summer time ends between two sessions
  09:00 start 1 1000 at=2026-11-23T08:00:00 tx=1 | 09:15 stop 1 2000 at=2026-11-23T08:15:00
  09:30 start 1 2000 at=2026-11-23T07:30:00 tx=2 | 10:30 stop 2 4000 at=2026-11-23T08:30:00
  => 1 15min 1kWh #1 | 1 60min 2kWh #2 from=07:30 to=08:30

a session that waited in the station until the next one had begun
  09:25 started N 1/1 3000 | 09:26 started O 1/1 1000 at=08:30 | 09:27 ended O 3000 at=09:10 | 10:20 ended N 4000
  => 1/1 40min 2kWh #O from=08:30 to=09:10 | 1/1 55min 1kWh #N

a session that waited in the station until the next one had begun, whose stop is lost
  09:25 started N 1/1 3000 | 09:26 started O 1/1 1000 at=08:30 | 10:20 ended N 4000
  => 1/1 -min -kWh #O NotReported | 1/1 55min 1kWh #N

a stop that waits for another one until the next session has begun, by a clock that is behind, at a station without responses
  09:00 start 2 5000000 | 09:05 start 1 5000 | 09:10 start 3 4500 | 09:20 stop 9 5500 | 09:21 start 1 5500 | 09:21:10 stop 11 5600
  09:37 stop 12 6000 | 09:45 stop 8 5003000 | 09:45:20 start 2 5003000 at=09:37:30 | 09:55 stop 13 5003300
  => ? -kWh #9 by=nothing | ? -kWh #11 by=nothing | ? -kWh #12 by=nothing | ? -kWh #8 by=nothing | ? -kWh #13 by=nothing

a clock that is six hours behind at a start without a response, after a session that is over: readings name it
  09:00 start 1 1000 tx=5 | 09:20 stop 5 2000 | 09:30 start 1 2000 at=03:30 | 09:31 meter 1 2100 tx=6 | 10:00 stop 6 5000
  => 1 20min 1kWh #5 by=response | 1 3kWh #6

a start without a clock, and one with it: these are two sessions
  09:00 start 1 1000 at=2023-01-01T00:00:20Z | 09:02 start 1 1000 tx=25 | 09:30 stop 25 6000 | 10:00 start 1 6000
  => ? -kWh #null from=09:00 NotReported | ? 28min 5kWh #25 from=09:02

a stop that names no transaction
  09:00 start 1 1000 tx=25 | 09:30 stop none 6000
  => ? 30min 5kWh #null by=order

I12: the same stop again, with another time and no ID, while the next session runs
  09:00 start 1 1000 tx=25 | 09:30 stop -1 6000 | 09:40 start 1 6000 tx=26 | 09:45 stop -1 6000
  10:20 stop 26 9000
  => ? 30min 5kWh | ? 40min 3kWh #26

I12: the same stop again, with another time and the station's own ID, while the next session runs
  09:00 start 1 1000 | 09:30 stop 7 6000 | 09:40 start 1 6000 | 09:45 stop 7 6000 | 10:20 stop 8 9000
  => ? 30min 5kWh #7 by=order | ? 40min 3kWh #8 by=order

two sessions whose stops name the ID of each other: what is exact and cannot be has no energy
  09:00 start 1 1000 tx=25 | 09:02 start 2 50000 tx=26 | 09:30 stop 26 6000 | 09:35 stop 25 5700000
  => 2 28min -kWh #26 by=response | 1 35min -kWh #25 by=response

the same, the second one long after the first
  09:00 start 1 1000 tx=25 | 09:02 start 2 50000 tx=26 | 09:20 stop 26 6000 | 10:35 stop 25 5700000
  => 2 18min -kWh #26 by=response | 1 95min -kWh #25 by=response

the same, the one with the higher register first
  09:00 start 1 1000 tx=25 | 09:02 start 2 50000 tx=26 | 09:30 stop 25 5700000 | 09:35 stop 26 6000
  => 1 30min -kWh #25 by=response | 2 33min -kWh #26 by=response

a stop whose register cannot be, and one without an ID that could be meant by it
  09:00 start 1 1000 tx=25 | 09:02 start 2 50000 tx=26 | 09:30 stop 25 5700000 | 09:35 stop -1 6000
  => 1 -kWh #25 by=response | - -kWh #-1 by=nothing

a stop whose register is nearer to that of a session of another connector
  09:00 start 1 50000 tx=25 | 09:02 start 2 52000 tx=26 | 09:30 stop 25 57000 | 09:35 stop 26 60000
  => 1 7kWh #25 by=response | 2 8kWh #26 by=response

times in milliseconds since the epoch
  09:05 start 1 1000 at=1795424400000 | 09:35 stop 25 6000 at=1795426260000
  => ? 31min 5kWh from=09:00 to=09:31

two stops at the same time, with no ID
  09:00 start 1 1000 tx=25 | 09:02 start 2 50000 tx=26 | 09:30 stop none 6000 | 09:30:01 stop none 57000 at=09:30
  => 1 30min 5kWh | 2 28min 7kWh

two stops at the same time, with -1 ID
  09:00 start 1 1000 tx=25 | 09:02 start 2 50000 tx=26 | 09:30 stop -1 6000 | 09:30:01 stop -1 57000 at=09:30
  => 1 30min 5kWh | 2 28min 7kWh

a register that begins again, while a session of another connector runs that fits it
  09:00 start 1 100 tx=25 | 09:02 start 2 50000 tx=26 | 09:30 stop 26 400 | 09:35 stop 25 5100
  => ? -kWh #26 | ? 5kWh #25 by=response

a register that is rounded in two ways, and nothing charged
  09:00 start 1 1000 tx=25 | 09:30 stop 25 999
  => ? 0kWh Wh=1000..999

a register that rises as fast as a megawatt allows
  09:00 start 1 1000 tx=25 | 09:30 stop 25 501000
  => ? 500kWh

a Transaction.End that is too low, and another register of the stop
  09:00 start 1 1000 tx=25 | 09:30 stop 25 6000 500@end
  => ? 5kWh (start to stop)

a Transaction.End next to another register of the stop
  09:00 start 1 1000 tx=25 | 09:30 stop 25 6000 5900@end
  => ? 4.9kWh (start to Transaction.End)

a reading that is too low and a stop that is too high
  09:00 start 1 1000 tx=25 | 09:10 meter 1 3000 | 09:20 meter 1 50 | 09:30 stop 25 99000000
  => ? 2kWh (start to last reading)

three readings that are too low
  09:00 start 1 1000 tx=25 | 09:10 meter 1 200 | 09:11 meter 1 210 | 09:12 meter 1 220 | 09:30 stop 25 6000
  => ? 5kWh (start to stop)

a wrong register at the start, and a Transaction.Begin that is right
  09:00 started A 1/1 7000 | 09:30 ended A 1000@begin 6000@end
  => ? 5kWh (Transaction.Begin to Transaction.End)

readings and an end, without a start
  09:10 updated A 2000 | 09:30 ended A 6000@end
  => ? -kWh Wh=-..6000

readings and an end of 0, without a start
  09:10 updated A 2000 | 09:30 ended A 0@end
  => ? -kWh Wh=-..-

a 0 at the start, and more soon after it than a megawatt delivers in that time
  09:00 started A 1/1 0 | 09:03 updated A 60000 | 09:10 updated A 60500 | 09:40 ended A 61000
  => ? 1kWh (first reading to stop)

a register at the inlet, of which only one value is known
  09:00 start 1 1000 tx=25 | 09:10 meter 1 50000 sample={"location":"Inlet"} | 09:30 stop 25 -1
  => ? -kWh Wh=1000..?

two starts of one register, and a stop of another session with that register in between
  08:55 start 2 500 tx=77 | 09:00 start 1 1000 tx=24 | 09:30 stop 77 1000 | 10:00 start 1 1000 tx=25
  => ? 0.5kWh #77 | ? #24 to=- NotReported

a start that is sent again, and a stop of another session in between
  08:55 start 2 500 tx=77 | 09:00 start 1 1000 tx=25 | 09:01 stop 77 900 | 09:02 start 1 1000 at=09:00 tx=26
  09:30 stop 26 6000
  => ? 0.4kWh #77 | ? 30min 5kWh #26 from=09:00

a stop that can be of two sessions, while the one with a register that excludes it is over
  08:55 start 2 50000 tx=77 | 09:00 start 1 1000 tx=25 | 09:05 start 3 2000 tx=78 | 09:20 stop 77 60000
  09:25 stop -1 3000 | 09:30 stop 25 6000
  => ? 10kWh #77 | ? #-1 by=nothing | ? 5kWh #25 by=response

a stop without start and register that is sent again with another time
  09:20 stop 25 0 | 09:25 stop 25 0
  => ? #25 to=09:20

the same, after a session has begun that it could end
  09:20 stop 25 0 | 09:22 start 1 1000 | 09:40 stop 25 0
  => ? to=09:20 by=nothing

the same ID on another EVSE, after a session that never ended
  09:00 started A 1/1 1000 | 09:20 started B 1/1 1500 | 09:40 started A 2/1 2000 | 10:10 ended A 2/1 5000
  => 1/1 #A NotReported | 2/1 30min 3kWh #A

a reading with a clock that is hours ahead, sent again after its session, while one without a response runs
  09:00 start 1 1000 at=11:00 tx=5 | 09:20 meter 1 2000 at=11:20 tx=5 | 09:30 stop 5 3000 at=11:30
  09:40 start 1 3000 at=11:40 | 09:45 meter 1 2000 at=11:20 tx=5 | 09:55 stop 6 4000 at=11:55
  10:00 start 1 4000 at=12:00 tx=7 | 10:05 stop 7 5000 at=12:05
  => 1 30min 2kWh #5 | - -min -kWh #6 by=nothing | 1 5min 1kWh #7

the reading at the begin, by a clock that is hours ahead, sent again while a session without a response runs
  09:00 start 1 1000 at=11:00 tx=5 | 09:00:01 meter 1 1000@begin at=11:00 tx=5 | 09:30 stop 5 3000 at=11:30
  09:40 start 1 3000 at=11:40 | 09:45 meter 1 1000@begin at=11:00 tx=5 | 10:00 start 1 4000 at=12:00 tx=7
  10:05 stop 7 5000 at=12:05
  => 1 30min 2kWh #5 | 1 -min -kWh #null NotReported | 1 5min 1kWh #7

an ID that another connector uses, over an hour after a stop that was sent late
  08:51 start 1 1000 tx=1 | 08:56 start 1 2000 tx=2 | 09:00 stop 2 3000 | 09:18 stop 1 2000 at=08:55
  10:20 start 2 9000 | 10:20:01 meter 2 9000@begin tx=1 | 10:30 stop 1 9500 | 10:32 start 2 9500 tx=3
  => 1 -min -kWh #1 NotReported | 1 4min 1kWh #2 | 2 10min 0.5kWh #1 by=meter

the same ID again after a session that never ended, both from a register of 0
  09:00 started A 1/1 0 | 09:40 started A 1/1 0 | 10:10 ended A 5000
  => ? from=09:00 NotReported | ? 30min 5kWh from=09:40

a reading just after an end that has a register
  09:00 started A 1/1 1000 | 09:30 ended A 6000 | 09:30:20 updated A 6500
  => ? 5kWh Wh=?..6000

two sessions that name no EVSE: nothing shows that the first one is over
  09:00 started A 1000 | 09:40 started B 2000
  => none

meter values of another EVSE, outside its transaction
  09:00 started A 1/1 1000 | 09:05 started B 2/1 3000 | 09:10 evse 2 4000 | 09:30 ended A | 09:40 ended B 5000
  => ? -kWh #A Wh=?..- | ? 2kWh #B

a reading without a start, and an end without a register
  09:10 updated A 2000 | 09:30 ended A
  => ? -kWh by=nothing Wh=-..-

an end without a register, and the same ID again just after it
  09:00 started A 1/1 1000 | 09:20 updated A 3000 | 09:30 ended A | 09:30:20 started A 1/1 9000
  09:50 ended A 9500
  => ? 2kWh from=09:00 (start to last reading) | ? 0.5kWh from=09:30:20 by=id

an end without its start, and a later session of the same ID
  09:30 ended A 1/1 6000 | 09:45 started A 1/1 6000
  => ? -min by=nothing Wh=?..6000

three sessions, of which the first stop fits the last one, too
  08:55 start 2 50000 tx=78 | 08:56 start 3 2000 tx=79 | 09:00 start 1 1000 tx=25 | 09:20 stop 79 3000
  09:30 stop 25 6000
  => 3 1kWh #79 | 1 5kWh #25

a clock that shows the same time after each boot, and a register that keeps counting
  09:00 start 1 1000 at=2023-01-01T00:00:20Z id=1 tx=25 | 09:30 stop 25 6000
  09:50 start 1 6000 at=2023-01-01T00:00:20Z id=2 tx=26 | 10:10 stop 26 8000
  => ? 30min 5kWh from=09:00 | ? 20min 2kWh from=09:50

two sessions that end at the same time
  09:00 start 1 1000 tx=25 | 09:00:10 start 2 50000 tx=26 | 09:30 stop 25 6000 | 09:30:10 stop 26 57000 at=09:30
  => ? 5kWh #25 | ? 7kWh #26

meter values without an ID of two connectors, whose stops have no register
  09:00 start 1 1000 tx=25 | 09:05 start 2 50000 tx=26 | 09:10 meter 1 2000 | 09:11 meter 2 52000
  09:30 stop 25 -1 | 09:40 stop 26 -1
  => ? 1kWh #25 (start to last reading) | ? 2kWh #26 (start to last reading)

meter values without an ID, after a later session of another connector is over
  09:00 start 1 1000 tx=25 | 09:05 start 2 50000 tx=26 | 09:10 stop 26 51000 | 09:40 meter 1 3000
  10:10 stop 25 -1
  => ? 1kWh #26 | ? 2kWh #25 (start to last reading)

two readings in the first message, and two in the last one
  09:01 started A 1/1 1000 1100~09:01 at=09:00 | 09:30 ended A 5900~09:29 6000
  => ? 5kWh by=id (start to stop)

a stop without a start, before a session whose stop never came
  08:57 stop 24 900 | 09:00 start 1 1000 tx=25 | 10:00 start 1 2000 tx=26
  => ? #24 by=nothing | ? #25 to=- NotReported

a response that a boot put after the start of another connector: it outweighs meter values
  09:00 start 1 1000 id=1 | 09:05 start 2 50000 id=1 | 09:05:01 tx 25 | 09:10 meter 1 2000 tx=25
  09:30 stop 25 6000
  => 2 -kWh #25 by=response

J1: a last meter value after the next start, and the stop after it
  09:29 start 1 2300398 tx=1021 | 09:31 meter 1 2301000 tx=1021 | 09:33 start 1 2300348 tx=1023
  09:33:00.500 meter 1 2301998@end tx=1021 | 09:34 stop 1021 2301998 | 09:35 meter 1 2301000 tx=1023
  09:38 stop 1023 2301948
  => 1 5min 1.6kWh #1021 by=response | 1 5min 1.6kWh #1023 by=response

J1: the response of the second start is lost
  09:29 start 1 2300398 tx=1021 | 09:31 meter 1 2301000 tx=1021 | 09:33 start 1 2300348
  09:33:00.500 meter 1 2301998@end tx=1021 | 09:34 stop 1021 2301998 | 09:35 meter 1 2301000 tx=1023
  09:38 stop 1023 2301948
  => 1 5min 1.6kWh #1021 by=response | 1 5min 1.6kWh #1023 by=meter

J1: the first start is lost, and the response of the second one
  09:29 tx 1021 to=lost | 09:33 start 1 2300348 | 09:33:00.500 meter 1 2301998@end tx=1021
  09:34 stop 1021 2301998 | 09:35 meter 1 2301000 tx=1023 | 09:38 stop 1023 2301948
  => 1 -kWh #1021 by=nothing | 1 5min 1.6kWh #1023 by=meter

a first reading that is created before its start, both responses lost, after a session that nothing names
  08:55 start 2 500 tx=24 | 09:00 start 1 1000 | 09:20:01 meter 1 4000@begin tx=26 | 09:20:04 start 1 4000
  09:30 stop 26 6000
  => ? -kWh #null from=09:00 NotReported | 1 -min 2kWh #26 by=nothing (Transaction.Begin to stop)

readings of one of two sessions with the same ID, and a stop that can be of both
  08:55 start 1 0 tx=4 | 09:01 start 3 0 tx=4 | 09:01:01 meter 3 0@begin tx=4 | 09:03:40 stop 4 481
  09:04:32 meter 3 201@end at=09:03:39 tx=4 | 09:04:33 stop 4 201
  => - -min -kWh #4 by=nothing to=09:03:40 | ? -kWh #4 to=09:04:33

the same ID on two connectors, both responses lost, and no stop of the first session
  07:16:23 start 1 3532731 | 07:21:23 meter 1 3532861 tx=2 | 07:23:58 start 1 3532889 tx=1
  07:55:27 start 2 7537772 | 08:53:27 meter 2 7538341 tx=2 | 08:58:52 stop 2 7538357
  => 2 -min -kWh #2 by=nothing to=08:58:52

J2: a stop whose start is before what was read takes no start that was answered with another ID
  09:00 start 1 500000 tx=13 | 09:30 stop 20 710000 | 10:00 stop 13 520000
  => - -min -kWh #20 by=nothing | 1 60min 20kWh #13 by=response

J2: nor one whose response is lost, unless readings name it
  08:55 start 9 1000 tx=1 | 09:00 start 1 500000 | 09:05 meter 1 500100 tx=13 | 09:30 stop 20 510000
  10:00 stop 13 520000
  => - -min -kWh #20 by=nothing | 1 60min 20kWh #13 by=meter

a start without a response, and a stop that nothing names: only the stop is told
  08:55 start 9 1000 tx=1 | 09:00 start 1 500000 | 09:30 stop 13 520000 | 09:40 start 1 520000 tx=14
  => - -min -kWh #13 by=nothing

readings after such a stop do not name the start before it
  08:55 start 9 1000 tx=1 | 09:00 start 1 500000 | 09:30 stop 13 520000 | 09:35 meter 1 521000 tx=14
  09:50 stop 14 530000
  => - -min -kWh #13 by=nothing | 1 -min -kWh #14 by=nothing

a start without a response on another connector than readings with that ID
  08:55 start 9 1000 tx=1 | 09:00 start 1 500000 | 09:05 meter 2 710000 tx=13 | 09:30 stop 13 720000
  => 2 -min -kWh #13 by=nothing

a start that the service refused, and nothing else
  09:00 start 1 1000 | 09:00 tx 0 Blocked | 09:05 meter 1 1000 | 09:30 start 1 1000 tx=26 | 09:40 stop 26 2000
  => ? 1kWh #26

a start that the service refused, and readings that rise
  09:00 start 1 1000 | 09:00 tx 25 Invalid | 09:10 meter 1 2000 tx=25 | 09:30 start 1 3000 tx=26
  09:40 stop 26 4000
  => ? 1kWh #25 NotReported | ? 1kWh #26

a start that the service refused, and its stop without an ID, while another session runs that fits it
  09:00 start 1 1000 tx=25 | 09:05 start 2 2000 | 09:05 tx 0 Blocked | 09:05:30 stop -1 2000
  09:30 stop 25 6000
  => 2 0kWh #-1 by=order | 1 5kWh #25 by=response

a start that the service refused, and a stop without an ID that another session fits as well
  09:00 start 2 500 | 09:00 tx 0 Invalid | 09:10 start 1 1000 tx=6 | 09:40 stop -1 3000
  => - -min -kWh #-1 by=nothing

a start that the service refused after another one began, and a stop without an ID that fits both
  09:00 start 1 1000 tx=6 | 09:05 start 2 500 | 09:05 tx 0 Invalid | 09:40 stop -1 3000
  => - -min -kWh #-1 by=nothing

a start that the service refused on the connector of a session, and a stop without an ID that may be of both
  09:00 start 1 1000 tx=6 | 09:05 start 1 1500 | 09:05 tx 0 Invalid | 09:05:30 stop -1 1500
  => - -min -kWh #-1 by=nothing

a start that the service refused while a session of its connector runs
  09:00 start 1 1000 tx=1 | 09:05 start 1 1500 | 09:05 tx 0 ConcurrentTx | 09:50 stop 1 6000
  => 1 50min 5kWh #1 by=response

a start that the service refused with another ID while a session of its connector runs, and the next session
  09:00 start 1 1000 tx=1 | 09:05 start 1 1500 | 09:05 tx 2 ConcurrentTx | 09:50 stop 1 6000
  10:00 start 1 6000 tx=3 | 10:20 stop 3 7000
  => 1 50min 5kWh #1 by=response | 1 20min 1kWh #3 by=response

a start that the service refused with the ID of the session that runs
  09:00 start 1 1000 tx=1 | 09:05 start 1 1500 | 09:05 tx 1 ConcurrentTx | 09:50 stop 1 6000
  => 1 50min 5kWh #1 by=response

a start that the service refused with the ID of the session that runs on another connector
  09:00 start 1 1000 tx=1 | 09:05 start 2 500 | 09:05 tx 1 ConcurrentTx | 09:50 stop 1 6000
  => 1 50min 5kWh #1 by=response

a start that the service refused while a session of its connector runs, and readings without an ID
  09:00 start 1 1000 tx=1 | 09:05 start 1 1500 | 09:05 tx 0 ConcurrentTx | 09:10 meter 1 2000 | 09:20 meter 1 2500
  09:40 stop 1 3000 | 09:50 start 1 3000 tx=3 | 10:10 stop 3 4000
  => 1 40min 2kWh #1 by=response | 1 20min 1kWh #3 by=response

a start that the service refused while a session of its connector runs, whose stop has no register
  09:00 start 1 1000 tx=1 | 09:05 start 1 1500 | 09:05 tx 0 ConcurrentTx | 09:10 meter 1 2000 | 09:40 meter 1 3000
  09:40 stop 1 -1
  => 1 40min 2kWh #1 by=response

a start that the service refused after a stop was lost, and which charges under its own ID
  09:00 start 1 1000 tx=1 | 09:20 start 1 3500 | 09:20 tx 2 Invalid | 09:30 meter 1 4000 tx=2 | 09:40 stop 2 5000
  10:00 start 1 5000 tx=3 | 10:10 stop 3 6000
  => 1 20min 1.5kWh #2 by=response | 1 -min -kWh #1 NotReported | 1 10min 1kWh #3 by=response

a start without a response, and one that the service refused on its connector
  09:00 start 1 1000 | 09:30 start 1 3500 | 09:30 tx 0 ConcurrentTx | 10:00 stop -1 6000
  => - -min -kWh #-1 by=nothing

a start that the service refused, and a stop without an ID that is no other's
  09:00 start 2 500 | 09:00 tx 0 Invalid | 09:40 stop -1 3000
  => 2 40min 2.5kWh #-1 by=order

a start that the service refused, and a stop without an ID that does not fit it
  09:00 start 1 1000 | 09:05 start 2 9000 | 09:05 tx 0 Blocked | 09:30 stop -1 6000
  => 1 5kWh #-1 by=order

S28: 120 kW for some minutes, and a register that counts from 0
  09:00 start 1 0 tx=25 | 09:05 meter 1 10000 tx=25 | 10:00 meter 1 40000 tx=25 | 10:00 stop 25 40000
  => ? 60min 40kWh Wh=0..40000 (start to stop)

S32: full after some minutes, and a register that counts from 0
  09:00 start 1 0 tx=25 | 09:15 meter 1 5570 tx=25 | 10:15 stop 25 5570
  => ? 75min 5.57kWh Wh=0..5570 (start to stop)

a Transaction.Begin and a Transaction.End, whose start is lost
  09:30 ended A 1000@begin~09:00 4500@end
  => - -min 3.5kWh by=nothing (Transaction.Begin to Transaction.End)

a reading above the end that the connector can have reached
  09:00 start 1 1000 tx=25 | 09:20 meter 1 7000 tx=25 | 09:30 stop 25 6000
  => ? -kWh Wh=1000..-

a reading that names the session goes before one that only fits its time and connector
  09:00 start 1 -1 tx=25 | 09:01 meter 1 500000 | 09:05 meter 1 1000 tx=25 | 09:25 meter 1 4000 tx=25
  09:29 meter 1 501000 | 09:30 stop 25 -1
  => ? 3kWh (first reading to last reading)

a negative ID names nothing
  09:00 start 1 1000 tx=25 | 09:30 stop -1021 6000
  => 1 5kWh #-1021 by=order
`;

/** Written from what the standard and real stations allow, before it was tried. */
const STRANGE = `
two sessions of an EVSE without a connection, which are sent in the wrong order
  10:00 started B 1/1 5000 at=09:30 | 10:00:01 ended B 7000 at=09:50 | 10:00:02 started A 1/1 1000 at=09:00
  10:00:03 ended A 5000 at=09:20
  => 1/1 20min 2kWh #B | 1/1 20min 4kWh #A

a stop with -1, when the session of the other connector is over
  09:00 start 1 1000 tx=5 | 09:05 start 2 40000 tx=6 | 09:20 stop 5 3000 | 09:40 stop -1 45000
  => 1 20min 2kWh #5 by=response | 2 35min 5kWh #-1 by=order

a start that the service refused, and the next try with the same register
  09:00 start 1 1000 | 09:00 tx 0 Invalid | 09:01 start 1 1000 tx=9 | 09:31 stop 9 4000
  => 1 30min 3kWh #9

a start that the service refused without an ID, and the next try with the same register
  09:00 start 1 1000 | 09:00 tx - Invalid | 09:01 start 1 1000 tx=9 | 09:31 stop 9 4000
  => 1 30min 3kWh #9 by=response

a start that the service refused without an ID, while a session of its connector runs
  09:00 start 1 1000 tx=11 | 09:20 start 1 1500 | 09:20 tx - ConcurrentTx | 10:00 stop 11 3000
  => 1 60min 2kWh #11 by=response

a refusal of another request, whose message has the ID of the start of a session
  09:00 start 1 1000 id=5 | 09:20 tx - Invalid to=5 | 09:30 start 1 3000 tx=12 | 09:50 stop 12 4000
  => 1 -kWh NotReported | 1 1kWh #12

the stop of a station whose starts have no response, after one to another request
  09:00 start 1 1000 | 09:10 tx - Invalid to=x | 09:30 stop 7 6000
  => 1 30min 5kWh #7 by=order

a start that the service refused, which the station stops with ID 0
  09:00 start 1 1000 | 09:00:01 tx 0 Blocked | 09:00:30 stop 0 1000
  => 1 0min 0kWh by=order

a register that begins again in a session without a stop
  09:00 start 1 1000 tx=5 | 09:10 meter 1 5000 tx=5 | 09:20 meter 1 100 tx=5 | 09:40 meter 1 2000 tx=5
  10:00 start 1 3000 tx=6 | 10:20 stop 6 5000
  => 1 -min -kWh #5 NotReported | 1 20min 2kWh #6

a register that begins again between two sessions
  09:00 start 1 50000 tx=5 | 09:20 stop 5 52000 | 09:30 start 1 0 tx=6 | 09:50 stop 6 700
  => 1 20min 2kWh #5 | 1 20min 0.7kWh #6

the next start in the second of the stop
  09:00 start 1 1000 tx=5 | 09:30 stop 5 4000 | 09:30 start 1 4000 tx=6 | 09:45 stop 6 5000
  => 1 30min 3kWh #5 | 1 15min 1kWh #6

a response that comes after the stop
  09:00 start 1 1000 id=a | 09:00:40 stop -1 1100 | 09:01 tx 5 to=a
  => 1 0min 0.1kWh by=order

two connectors without responses, and stops with -1 that fit one each
  09:00 start 1 1000 | 09:01 start 2 900000 | 09:30 stop -1 903000 | 09:40 stop -1 4000
  => 2 29min 3kWh by=order | 1 40min 3kWh by=order

a start is lost, and the last message has the register of the begin
  09:10 updated A 1/1 2000 | 09:40 ended A 1000@begin~09:00 5000@end
  => 1/1 -min 4kWh #A by=nothing (Transaction.Begin to Transaction.End)

an end that is sent again after a reconnection
  09:00 started A 1/1 1000 | 09:30 ended A 4000 | 09:50 ended A 4000 at=09:30
  => 1/1 30min 3kWh #A

a start that is sent three times, each with another response, and a stop with the first ID
  09:00 start 1 1000 tx=5 | 09:01 start 1 1000 at=09:00 tx=6 | 09:02 start 1 1000 at=09:00 tx=7 | 09:30 stop 5 4000
  => 1 30min 3kWh #5

registers in kWh, and only in meter values
  09:00 start 1 -1 tx=5 | 09:00:10 meter 1 10@begin tx=5 sample={"unit":"kWh"}
  09:29 meter 1 14@end tx=5 sample={"unit":"kWh"} | 09:30 stop 5 -1
  => 1 30min 4kWh (Transaction.Begin to Transaction.End)

a clock that is seven minutes behind
  09:00 start 1 1000 at=08:53 tx=5 | 09:30 stop 5 4000 at=09:23
  => 1 30min 3kWh from=08:53 to=09:23

a clock that is lost at the stop
  09:00 start 1 1000 tx=5 | 09:30 stop 5 4000 at=1970-01-01T00:30:05Z
  => 1 30min 3kWh from=09:00 to=09:30

messages without a time
  09:00 start 1 1000 at=- tx=5 | 09:30 stop 5 4000 at=-
  => 1 30min 3kWh from=09:00 to=09:30

no stop, and another session of the other connector
  09:00 start 1 1000 tx=5 | 09:20 start 2 1000 tx=6 | 09:40 stop 6 2000
  => 2 20min 1kWh #6

an ID that is used again after a boot, and no stop of the first session
  09:00 start 1 1000 tx=1 | 09:10 meter 1 2000 tx=1 | 09:40 start 1 2000 tx=1 | 10:00 stop 1 3000
  => 1 -min 1kWh #1 from=09:00 NotReported | 1 20min 1kWh #1 from=09:40

a stop that is listed late, after the next start
  09:00 start 1 1000 tx=5 | 09:30 stop 5 4000 listed=09:38 | 09:33 start 1 4000 tx=6 | 09:50 stop 6 5000
  => 1 30min 3kWh #5 | 1 17min 1kWh #6

two stops of one session with different registers
  09:00 start 1 1000 tx=5 | 09:30 stop 5 4000 | 09:31 stop 5 4200
  => 1 30min 3kWh #5

a reading with ID 0 names nothing, and fits its connector
  09:00 start 1 1000 tx=5 | 09:20 meter 1 3000 tx=0 | 09:30 stop 5 -
  => 1 30min 2kWh #5 (start to last reading)

a start is lost on one EVSE, while another one charges
  09:00 started A 1/1 1000 | 09:10 updated B 2/1 5000 | 09:30 ended B 6000 | 09:40 ended A 3000
  => 2/1 -min -kWh #B by=nothing | 1/1 40min 2kWh #A

two connectors whose responses are lost, and readings that name both
  08:55 start 3 10 tx=2 | 09:00 start 1 1000 | 09:01 start 2 900000 | 09:05 meter 1 1200 tx=8
  09:06 meter 2 900100 tx=9 | 09:30 stop 9 903000 | 09:31 stop 8 4000
  => 2 29min 3kWh #9 by=meter | 1 31min 3kWh #8 by=meter
`;

/** What docs/station-trigger.md promises, written from it and not from what is told. */
const PROMISED = `
a whole session
  09:00 start 1 250000 tx=41 | 09:10 meter 1 252000 tx=41 | 09:40 stop 41 258000
  => 1 40min 8kWh #41 by=response (start to stop)

a response is lost, and meter values name the transaction
  08:55 start 2 1000 tx=40 | 09:00 start 1 250000 | 09:10 meter 1 252000 tx=41 | 09:40 stop 41 258000
  09:45 stop 40 3000
  => 1 40min 8kWh #41 by=meter | 2 50min 2kWh #40 by=response

a start is lost
  09:00 tx 41 to=lost | 09:10 meter 1 252000 tx=41 | 09:40 stop 41 258000
  => 1 -min -kWh #41 by=nothing from=- to=09:40

a stop is lost
  09:00 start 1 250000 tx=41 | 09:10 meter 1 252000 tx=41 | 09:20 meter 1 254000 tx=41
  10:00 start 1 258000 tx=42 | 10:15 stop 42 259000
  => 1 -min 4kWh #41 from=09:00 to=- NotReported | 1 15min 1kWh #42

a stop that a station sends again after a boot, with another time
  09:00 start 1 0 tx=7 | 09:30 stop 7 5500 | 09:45 stop 7 5500
  => 1 30min 5.5kWh #7 to=09:30

an ID that is used again, and a register that begins with 0
  09:00 start 1 0 tx=1 | 09:20 stop 1 3000 | 09:40 start 1 0 tx=1 | 10:10 stop 1 7000
  => 1 20min 3kWh #1 | 1 30min 7kWh #1

a stop with ID 0 that can end one of two sessions
  09:00 start 1 1000 tx=5 | 09:05 start 2 40000 tx=6 | 09:30 stop 0 3000 | 09:50 stop 6 45000
  => 1 30min 2kWh by=order | 2 45min 5kWh #6 by=response

a stop without an ID that can end two sessions
  09:00 start 1 1000 tx=5 | 09:05 start 2 1200 tx=6 | 09:30 stop none 3000 | 09:50 stop 6 4000
  => - -min -kWh #null by=nothing from=- | 2 45min 2.8kWh #6 by=response

registers only in the last message
  09:00 started A 1/1 | 09:45 ended A 500000@begin 512000@end
  => 1/1 45min 12kWh #A by=id (Transaction.Begin to Transaction.End)

a start is lost, OCPP 2.0.1
  09:15 updated A 1/1 2000 | 09:45 ended A 8000
  => 1/1 -min -kWh #A by=nothing from=- to=09:45

an end is lost, OCPP 2.0.1
  09:00 started A 1/1 1000 | 09:30 updated A 5000 | 10:05 started B 1/1 6000 | 10:20 ended B 7000
  => 1/1 -min 4kWh #A from=09:00 to=- NotReported | 1/1 15min 1kWh #B

a station without a connection sends all of it later
  10:00 started A 1/1 1000 at=09:00 | 10:00:01 updated A 3000 at=09:20 | 10:00:02 ended A 5000 at=09:40
  => 1/1 40min 4kWh #A from=09:00 to=09:40

a station whose starts never had a response
  09:00 start 1 1000 | 09:05 start 2 800000 | 09:30 stop 900 4000 | 09:50 stop 901 810000
  => 1 30min 3kWh #900 by=order | 2 45min 10kWh #901 by=order

a stop with an impossible register
  09:00 start 1 1000 tx=5 | 09:06 meter 1 3000 tx=5 | 09:12 stop 5 900001000
  => 1 12min 2kWh #5 (start to last reading)

a start that the service refused
  09:00 start 1 1000 | 09:00 tx 0 Invalid | 09:30 start 1 1000 tx=8 | 09:50 stop 8 3000
  => 1 20min 2kWh #8

registers that contradict the transaction ID
  09:00 start 1 50000 tx=5 | 09:30 stop 5 4000
  => 1 30min -kWh #5 by=response

a stop later than 20 minutes after the next start
  09:00 start 1 1000 tx=5 | 09:10 meter 1 1500 tx=5 | 09:40 start 1 2000 tx=6 | 10:05 stop 5 2000
  10:20 stop 6 3000
  => 1 -min 0.5kWh #5 to=- NotReported | 1 40min 1kWh #6

a start that is sent again and gets another ID
  09:00 start 1 1000 tx=5 | 09:01 start 1 1000 at=09:00 tx=6 | 09:30 stop 6 4000
  => 1 30min 3kWh #6

a clock that is 15 minutes ahead
  09:00 start 1 1000 at=09:15 tx=5 | 09:30 stop 5 4000 at=09:45
  => 1 30min 3kWh #5 from=09:00 to=09:30

a stop without a register, and the last reading after it
  09:00 start 1 1000 tx=5 | 09:30 stop 5 -1 | 09:30:40 meter 1 6000@end tx=5
  => 1 30min 5kWh #5 (start to Transaction.End)

a stop without a name an hour after the next session of another connector, whose session before had no stop
  09:00 start 2 4669762 | 09:10 start 2 4674642 | 09:15 stop 8 4682273 | 10:40 start 1 4690000 | 10:50 stop 9 4700000
  => 2 -min -kWh NotReported | 2 5min 7.631kWh #8 by=order | 1 10min 10kWh #9 by=order

the ID of another connector again, which readings name after its stop there
  09:00 start 3 1585702 tx=1 | 09:24 start 1 2469193 | 09:27 stop 1 1617712
  09:29 meter 1 2481568 tx=1 | 09:34 meter 1 2493943 tx=1 | 09:50 stop 1 2532145
  => 3 27min 32.01kWh #1 by=response | 1 26min 62.952kWh #1 by=meter

the ID of another connector again, which meter values without a register name after its stop there
  09:00 start 3 1585702 tx=1 | 09:24 start 1 2469193 | 09:26 meter 1 9 tx=1 sample={"measurand":"Power.Active.Import"}
  09:27 stop 1 1617712 | 09:29 meter 1 9 tx=1 sample={"measurand":"Power.Active.Import"} | 09:34 meter 1 9 tx=1 sample={"measurand":"Power.Active.Import"}
  09:50 stop 1 2532145
  => 3 27min 32.01kWh #1 by=response | 1 26min 62.952kWh #1 by=meter

the same ID on three connectors, of which readings name one: of two stops, nothing shows whose each is
  09:00 start 2 0 | 09:00 meter 2 0@begin tx=2 | 09:02 start 3 0 tx=2 | 09:14 stop 2 875 | 10:00 meter 2 4730 tx=2
  10:00:20 start 1 0 tx=2 | 10:09 stop 2 1500 | 10:22 stop 2 6430
  => - -min #2 by=nothing | - -min -kWh #2 by=nothing | - -min -kWh #2 by=nothing

the last reading comes after the next start, whose clock is behind: that start was sent after the stop
  09:00 start 1 1000 tx=2 | 09:02 stop 2 5000 | 09:17:58 start 1 6000 at=09:17:56 | 09:35:22 stop 6 10000 at=09:35:20
  09:36:50 start 1 10000 at=09:33:36 | 09:37:15 meter 1 10000@end~09:35:20 tx=6 | 09:44:49 stop 7 12000
  => 1 2min 4kWh #2 | 1 17min 4kWh #6 by=meter | - -min -kWh #7 by=nothing

two connectors that stop in the same moment, both with the same ID
  09:00 start 3 1419209 tx=1 | 09:03 start 1 5259638 tx=1 | 09:20 stop 1 1420069 | 09:20:01 stop 1 5260195 at=09:20
  10:30 tx 1 to=lost | 10:35 stop 1 885798
  => 3 20min 0.86kWh #1 | 1 17min 0.557kWh #1 | - -min -kWh #1 by=nothing

a reading long before a stop shows where that was, when another session is decided
  09:00 start 1 5214459 at=08:51:31 | 09:00 meter 1 5214459@begin tx=2 | 09:01:30 start 2 5403143
  09:09 meter 2 5405750@end tx=2 | 09:09:10 stop 2 5405750 | 09:30 meter 1 5222159 tx=2 | 09:35 stop 2 5223442
  09:40 start 1 5223442 at=09:31:31 | 09:56 meter 1 5228495@end tx=3 | 09:56 stop 3 5228495
  => ? #2 | ? #2 | 1 24min 5.053kWh #3 by=meter

a stop and the next start lost, without responses: readings name the start, then another session
  09:00 start 1 1000 | 09:05 meter 1 2000 tx=101 | 09:15 meter 1 5500 tx=101 | 09:27 meter 1 7000 tx=103
  09:50 stop 103 8000 | 09:55 start 1 9000 | 10:00 meter 1 9500 tx=104 | 10:10 stop 104 10000
  => 1 -min -kWh #103 by=nothing Wh=-..8000 | 1 -min 4.5kWh #101 to=- NotReported | 1 15min 1kWh #104 by=meter

a stop that nothing names, after readings that may name the start otherwise
  09:00 start 1 1000 at=09:04 | 09:01 meter 1 1000@begin tx=101 | 09:50 stop 103 8000 | 10:30 start 1 9000
  => - -min -kWh #103 by=nothing

a start that is sent after the stop, by a clock that is behind
  09:30 stop 3 5000 | 09:32 start 1 5000 at=09:29 | 09:50 stop 5 7000
  => - -min -kWh #3 by=nothing | - -min -kWh #5 by=nothing

a stop that may be of two, and waits: the next one is not sure to be of one of them
  09:00 start 2 1000 | 09:08 start 3 1000 | 09:12 stop 8 2000 | 09:13 meter 2 2000@begin tx=12 | 09:17 stop 12 2900
  => - -min -kWh #8 by=nothing | 2 -min 0.9kWh #12 by=nothing

an ID that is used again, whose start is lost: the stop is no repetition, and a third one is of another connector
  09:00 tx 2 to=a | 09:10 stop 2 5000 | 09:15 tx 2 to=b | 09:25 stop 2 6000 | 09:26 start 2 1000 | 09:40 stop 2 2000
  10:00 start 2 2000 tx=5 | 10:10 stop 5 3000
  => - -min -kWh #2 by=nothing | - -min -kWh #2 by=nothing | - -min -kWh #2 by=nothing | 2 10min 1kWh #5

a response to a later start says nothing of a stop before it
  08:52 start 2 1000 tx=9 | 08:55 stop 9 1500 | 09:00 start 3 1000 | 09:05 stop 1 1500 | 09:08 tx 1 to=lost
  09:20 stop 1 1200 | 09:30 start 3 1500 tx=5 | 10:10 stop 5 3000
  => 2 3min 0.5kWh #9 | - -min -kWh #1 by=nothing | - -min -kWh #1 by=nothing | 3 40min 1.5kWh #5
`;

describe('a session of the field', () => {
	it.each(sessionCases(CASES + STRANGE + PROMISED))('$name', async ({ events, rows }) => {
		const found = await rowsOf(events);
		expect(found).toEqual(rows.map((row) => expect.objectContaining(row) as Item));
	});

	it('has its start, though that is hours before the publication and read by a later poll', async () => {
		const world = stationWorld({ settings: { kind: 'sessionEnded', catchUpMs: 1440 * MINUTE } });
		world.events = sessionEvents(
			'05:30 start 1 25000 tx=25 | 08:20 start 2 26000 tx=26 | 09:10 stop 25 30000',
		);
		for (let at = time('05:31'); at < time('08:30'); at += MINUTE / 10) {
			world.events.push(message(at, 's2', ['Heartbeat', {}]));
		}
		await world.pollFrom('08:30', '09:30', { budgetMs: 0 });
		const expected = { energyKwh: 5, minutes: 220, connector: '1', startFoundBy: 'response' };
		expect(world.items()).toMatchObject([expected]);
	});

	it('is reported once, though a look back reads on from there to before the publication', async () => {
		const world = stationWorld({ settings: { kind: 'sessionEnded', catchUpMs: 1440 * MINUTE } });
		// The shard is written at the last start, and forgets the first one.
		world.events = sessionEvents(`
			08:29:30 start 1 25000 tx=25 | 08:50 stop 25 30000
			08:55 start 1 30000 tx=26 | 09:32 start 2 40000`);
		for (let at = time('08:25'); at < time('10:00'); at += MINUTE / 10) {
			world.events.push(message(at, 's2', ['Heartbeat', {}]));
		}
		await world.pollFrom('08:30', '10:00', { budgetMs: 0 });
		expect(world.items()).toMatchObject([{ energyKwh: 5, transactionId: '25', reason: 'Local' }]);
	});

	it('Z1: is reported if the events themselves have times without a zone', async () => {
		const events = sessionEvents('09:00 start 1 1000 | 09:30 stop 25 6000').map((event) => {
			const createdAt = event.createdAt.replace('Z', '');
			return { ...event, record: { ...event.record, createdAt } };
		});
		expect(await rowsOf(events)).toEqual([
			expect.objectContaining({ minutes: 30, energyKwh: 5, receivedAt: iso('09:30') }),
		]);
	});
});

describe('the RFID tag of a session', () => {
	const token = (tag: string) => `json={"idToken":{"idToken":"${tag}","type":"ISO14443"}}`;
	const events = sessionEvents(`
		09:00 start 1 1000 json={"idTag":"TAG1017"} | 09:30 stop 25 6000 json={"idTag":"OTHER"}
		09:10 started A 2/1 1000 | 09:11 updated A ${token('TAG2017')} | 09:40 ended A 6000 ${token('OTHER')}`);

	it('is in the row, if it is wanted', async () => {
		const rows = await rowsOf(events, { includeIdTag: true });
		expect(rows.map(({ idTag }) => idTag)).toEqual(['TAG1017', 'TAG2017']);
	});

	it('is that of each session, if their transactions have the same ID', async () => {
		const rows = await rowsOf(
			sessionEvents(`
				09:00 started 1 1/1 1000 ${token('TAG1')} | 09:20 ended 1 2000 ${token('TAG1')}
				09:40 started 1 1/1 2000 ${token('TAG2')} | 10:00 ended 1 5000 ${token('TAG1')}`),
			{ includeIdTag: true },
		);
		expect(rows.map(({ idTag }) => idTag)).toEqual(['TAG1', 'TAG2']);
	});

	it('is neither in the row nor in the state otherwise', async () => {
		const world = stationWorld(SESSIONS);
		world.events = [...events];
		const texts: string[] = [];
		const swap = world.ledger.swapRecord.bind(world.ledger);
		world.ledger.swapRecord = async (key, expected, next, keepMs) => {
			texts.push(next ?? '');
			return await swap(key, expected, next, keepMs);
		};
		await world.pollFrom('09:05', '09:05');
		await world.pollFrom('09:25', '09:45');
		expect(world.items()).toHaveLength(2);
		for (const item of world.items()) expect(item).not.toHaveProperty('idTag');
		expect(texts.join()).toContain('ses_');
		expect(texts.join()).not.toMatch(/TAG|OTHER/);
	});
});

/** The records that polls write. */
function writesOf(world: ReturnType<typeof stationWorld>): string[] {
	const keys: string[] = [];
	const swap = world.ledger.swapRecord.bind(world.ledger);
	world.ledger.swapRecord = async (key, expected, next, keepMs) => {
		keys.push(key);
		return await swap(key, expected, next, keepMs);
	};
	return keys;
}

it('meter values of a station that does not charge change nothing', async () => {
	const world = stationWorld(SESSIONS);
	await world.pollFrom('08:58', '08:59');
	const keys = writesOf(world);
	world.events = sessionEvents(`
		09:00:10 meter 1 1000 | 09:00:20 meter 1 1000 tx=0 | 09:00:30 meter 0 1000 tx=25
		09:00:40 evse 1 1000`);
	await world.pollFrom('09:01', '09:03');
	expect(keys.length).toBeGreaterThan(0);
	expect(keys.every((key) => key.endsWith(':head'))).toBe(true);
});

it('gives no energy to a session whose stop has no register, and is listed when the readings around it are left out', async () => {
	const world = stationWorld(SESSIONS);
	const readings = Array.from({ length: 80 }, (_unused, n) =>
		message(time('09:01') + n * MINUTE, 's1', [
			'MeterValues',
			{ connectorId: 1, meterValue: [{ sampledValue: [{ value: String(1_010 + 10 * n) }] }] },
		]),
	);
	const session = sessionEvents('09:00 start 1 1000 tx=25 | 09:40 stop 25 -1 listed=10:35');
	world.events = [...session, ...readings];
	await world.pollFrom('08:50', '10:40');
	expect(world.items()).toMatchObject([
		{ energyKwh: null, meterStartWh: 1_000, meterStopWh: null, minutes: 40 },
	]);
});

it('writes nothing when it only reads the messages of a session again', async () => {
	const world = stationWorld(SESSIONS);
	world.events = sessionEvents(`
		09:00 start 1 1000 tx=25 | 09:10 meter 1 2000 | 09:11 meter 1 2100 tx=25
		09:00 started A 2/1 1000 | 09:10 updated A 2/1 2000 | 09:11 evse 2 2100`);
	await world.pollFrom('08:50', '09:15');
	const keys = writesOf(world);
	world.events.push(back('09:16', 's2'));
	await world.pollFrom('09:16', '09:20');
	expect(keys.length).toBeGreaterThan(0);
	expect(keys.every((key) => key.endsWith(':head'))).toBe(true);
});

/** Listed or sent late: what is reported of it, as `25 Local 5`. */
const LATE: readonly (readonly [
	name: string,
	until: string,
	events: string,
	rows: readonly string[],
])[] = [
	...[24, -1].map(
		(id) =>
			[
				`a stop (${id}) that is listed after its session was reported as over`,
				'10:30',
				`09:00 start 1 1000 tx=24 | 09:05 meter 1 1500 tx=24 | 09:30 stop ${id} 6000 listed=10:05
				09:40 start 1 6000 tx=25`,
				['24 NotReported 0.5'],
			] as const,
	),
	[
		'a start that is listed after the end',
		'09:50',
		'09:00 started A 1/1 1000 listed=09:36 | 09:30 ended A 6000',
		['A Local 5'],
	],
	[
		'a start that is read after its end was reported',
		'12:10',
		'09:00 started A 1/1 1000 listed=09:55 | 09:30 ended A 6000 | 11:20 started B 1/1 6000',
		['A Local null'],
	],
	[
		'a start that is sent again long after its end',
		'12:10',
		`09:00 started A 1/1 1000 | 09:30 ended A 6000 | 10:20 started A 1/1 1000 at=09:00
		11:00 started B 1/1 6000`,
		['A Local 5'],
	],
	[
		'a start that is sent long after its end',
		'12:10',
		'09:30 ended A 6000 | 10:20 started A 1/1 1000 at=09:00 | 11:00 started B 1/1 6000',
		['A Local null'],
	],
	[
		'a start that is listed after its stop was reported, and followed by another one hours later',
		'12:10',
		'09:00 start 1 2000 tx=26 listed=09:54 | 09:05 stop 26 4000 | 11:20 start 1 4000 tx=27',
		['26 Local null'],
	],
	[
		'a start that is listed after the next one has begun',
		'12:10',
		`09:35 start 1 2000 listed=10:15 tx=26 | 09:40 meter 1 3000 tx=26 | 09:50 stop 26 4000
		10:05 start 1 4000 tx=27 | 10:20 stop 27 5000 | 11:20 start 1 5000 tx=28`,
		['26 Local null', '27 Local 1'],
	],
	[
		'a stop whose response ties it to a start that is not listed yet is not joined to an earlier one',
		'10:50',
		`09:00 start 1 2000 tx=26 | 09:05 meter 1 3000 tx=26 | 09:20 stop 26 4000 listed=09:40
		09:21 start 1 24000 listed=10:05 tx=27 | 09:25 meter 1 24500 tx=27 | 09:30 stop 27 25000
		09:35 start 1 26000 tx=28`,
		['26 Local 2', '27 Local null'],
	],
];

const shown = (items: readonly Item[]) =>
	items.map(({ transactionId, reason, energyKwh }) =>
		[transactionId, reason, energyKwh].map(String).join(' '),
	);

it.each(LATE)('reports a session once: %s', async (_name, until, events, rows) => {
	const world = stationWorld(SESSIONS);
	world.events = sessionEvents(events);
	await world.pollFrom('08:50', until);
	expect(shown(world.items())).toEqual(rows);
});

it('does not take the connector of a session that is long over for that of a later one with its ID', async () => {
	const world = stationWorld(SESSIONS);
	world.events = sessionEvents(`
		08:55 stop 5 4474106 | 09:00 start 3 2641212 tx=5 | 09:04 meter 3 2641379@end tx=5
		09:05 stop 5 2641379 | 09:10 start 2 1000 tx=6 | 11:14 stop 5 1453007`);
	await world.pollFrom('08:50', '11:30');
	expect(world.items().map(({ connector }) => connector)).toEqual([null, '3', null]);
});

it.each([
	['soon', '09:30'],
	['a day later', '11-24 11:30'],
])(
	'does not take the connector of a session without a stop for that of a stop %s',
	async (_name, at) => {
		const events = sessionEvents(`09:00 start 1 1000 tx=1 | 09:02 meter 1 1500@end tx=1
		09:04 start 1 1500 tx=2 | ${at.replace(/..$/, '29')} tx 1 to=lost | ${at}:10 stop 1 900 | ${at}:20 stop 2 9000`);
		const [often, once] = [stationWorld(SESSIONS), stationWorld(SESSIONS)];
		for (const world of [often, once]) {
			world.events = events;
			await world.pollFrom('08:50', world === often ? '09:40' : '08:50');
			for (const after of [20, 30, 40]) {
				world.now = time(at) + after * MINUTE;
				if (world === often || after === 40) await world.poll();
			}
			const rows = world.items().map(({ connector, startFoundBy }) => [connector, startFoundBy]);
			expect(rows.toSorted()).toEqual(
				[
					['1', null],
					['1', 'response'],
					[null, 'not found'],
				].toSorted(),
			);
		}
		const { now } = often;
		const asked = await sessions(events, { now, from: time('08:50'), to: now });
		expect(asked.map(({ connector }) => connector)).toEqual(['1', null, '1']);
	},
);

it('keeps nothing of a session that is long over, though its stop named no transaction', async () => {
	const world = stationWorld(SESSIONS);
	world.events = sessionEvents(
		'09:00 start 1 2000 tx=26 | 09:30 stop -1 4000 | 11:00 start 2 50000',
	);
	await world.pollFrom('08:50', '09:50');
	await world.pollFrom('11:00', '11:05');
	expect(world.ids()).toHaveLength(1);
	const texts = [...world.store.records.values()].join();
	expect(texts).toContain('"wh":50000');
	expect(texts).not.toContain('"tx":"26"');
});

/** The parts of sessions in the record of a shard, one text each. Connector 9 charges meanwhile, so that each poll writes the record. */
async function keptAt(until: string, events: readonly StationEvent[]): Promise<string[]> {
	const world = stationWorld({ settings: { ...SESSIONS.settings, catchUpMs: 30 * DAY } });
	world.events = [...events];
	const often = time('12:00');
	for (let at = time('08:50'); ; at += at < often ? 10 * MINUTE : DAY / 2) {
		world.now = Math.min(at, time(until));
		const meterValue = [{ sampledValue: [{ value: String(at) }] }];
		const values = { connectorId: 9, transactionId: 999, meterValue };
		world.events.push(message(world.now - 2 * MINUTE, 's1', ['MeterValues', values]));
		expect(await world.poll()).toBeUndefined();
		if (at >= time(until)) break;
	}
	const [sessions] = [...world.store.records.values()].flatMap(
		(text) => shardIn(text)?.stations.get('s1')?.sessions ?? [],
	);
	if (sessions === undefined) throw new Error('no session is kept');
	const { starts, named, metered: values, stops, told } = sessions;
	const others = values.filter(({ connector }) => connector !== '9');
	return [
		...starts.map(({ connector = '-', wh, tx = '' }) => `start ${connector} ${String(wh)} ${tx}`),
		...named.map(({ tx }) => `response ${tx}`),
		...others.map(
			(one) => `${String(one.readings.length)} values ${one.tx ?? one.connector ?? ''}`,
		),
		...stops.map(({ tx, reason, readings, named: places = [] }) =>
			['stop', tx, reason, readings?.length, ...places.map((one) => `at ${one.connector}`)]
				.filter((part) => part !== undefined)
				.join(' '),
		),
		...(told.length > 0 ? [`${String(told.length)} told`] : []),
	].map((part) => part.trim());
}

describe('a session is kept as long as it matters', () => {
	const week = Array.from({ length: 7 }, (_unused, n) => `11-${24 + n}`);
	const whole =
		'09:00 start 1 1000 tx=25 | 09:10 meter 1 2000 tx=25 | 09:20 meter 1 3000 | 09:30 stop 25 4000';
	const whole201 =
		'09:00 started A 1/1 1000 | 09:10 updated A 1/1 2000 | 09:15 evse 1 2500 | 09:30 ended A 4000';
	const withoutStart = '09:00 tx 25 to=x | 09:10 meter 1 2000 tx=25 | 09:30 stop 25 4000';
	const unended = '09:00 start 1 1000 tx=25 | 09:40 start 1 2000 tx=26';
	const shared = '09:00 started A 1/1 1000 | 09:05 started A 2/1 2000 | 09:30 ended A 1/1 3000';
	const unended201 = '09:00 started A 1/1 1000 | 09:40 started B 1/1 2000';
	const eachMinute = Array.from({ length: 170 }, (_unused, n) =>
		new Date(time('09:01') + n * MINUTE).toISOString().slice(11, 16),
	);

	it.each<readonly [string, string, string, readonly string[]]>([
		[
			'its start and its stop for an hour, since that may be sent again',
			whole,
			'10:00',
			['start 1 1000', 'response 25', 'stop 25', '1 told'],
		],
		['that it was told for a day', whole, '11-24 09:00', ['1 told']],
		['nothing after that', whole, '11-24 22:00', []],
		[
			'its end for an hour, OCPP 2.0.1',
			whole201,
			'10:00',
			['start 1/1 1000 A', 'stop A', '1 told'],
		],
		['nothing after that, OCPP 2.0.1', whole201, '11-24 22:00', []],
		[
			'that the last 16 sessions were told',
			eachMinute
				.slice(0, 40)
				.map((at, n) => (n % 2 === 0 ? `${at} start 1 ${n} tx=${n}` : `${at} stop ${n - 1} ${n}`))
				.join('|'),
			'18:00',
			['16 told'],
		],
		[
			'a stop without its start for a day, with its response and where it was',
			withoutStart,
			'11-24 09:00',
			['response 25', 'stop 25 at 1', '1 told'],
		],
		['nothing of it after a day', withoutStart, '11-24 22:00', []],
		[
			'the responses to starts that have no stop yet, also one with an ID that was used before',
			`${withoutStart} | 11-24 10:00 tx 25 to=y | 09:00:01 tx 26 to=z | 09:00:02 meter 1 1000 tx=26`,
			'11-24 22:00',
			['response 26', 'response 25', '1 values 26'],
		],
		[
			'its start for 30 days, if it has not ended',
			'09:00 start 1 1000 tx=25',
			'12-22 10:00',
			['start 1 1000', 'response 25'],
		],
		['nothing of it after that', '09:00 start 1 1000 tx=25', '12-24 10:00', []],
		[
			'meter values whose start and stop never came for 30 days',
			'09:10 meter 1 2000 tx=25',
			'12-22 10:00',
			['1 values 25'],
		],
		['nothing of these after that', '09:10 meter 1 2000 tx=25', '12-24 10:00', []],
		[
			'its start for a day, if the next one of its connector has begun',
			unended,
			'12:00',
			['start 1 1000', 'start 1 2000', 'response 25', 'response 26', '1 told'],
		],
		['and then only the next one', unended, '11-24 22:00', ['start 1 2000', 'response 26']],
		[
			'the first one as long, though the next one is over',
			`${unended} | 09:50 stop 26 3000`,
			'18:00',
			['start 1 1000', 'response 25', '2 told'],
		],
		['nothing of both after that', `${unended} | 09:50 stop 26 3000`, '11-25 22:00', []],
		[
			'nothing of a session, though one of another connector lasts',
			'09:00 start 2 1000 tx=25 | 09:40 start 1 2000 tx=26 | 09:50 stop 26 3000',
			'11-24 22:00',
			['start 2 1000', 'response 25'],
		],
		[
			'its start for 30 days, if it has not ended, OCPP 2.0.1',
			'09:00 started A 1/1 1000',
			'12-22 10:00',
			['start 1/1 1000 A'],
		],
		['nothing of it after that, OCPP 2.0.1', '09:00 started A 1/1 1000', '12-24 10:00', []],
		[
			'what it says for 30 days, if its start is missing, OCPP 2.0.1',
			'09:00 updated A 1/1 1000',
			'12-22 10:00',
			['1 values A'],
		],
		[
			'nothing of it after that, if its start is missing, OCPP 2.0.1',
			'09:00 updated A 1/1 1000',
			'12-24 10:00',
			[],
		],
		[
			'only its end, for a day, if its start is missing, OCPP 2.0.1',
			'09:10 updated A 1/1 1000 | 09:30 ended A 2000',
			'11-24 09:00',
			['stop A at 1/1', '1 told'],
		],
		[
			'nothing a day after an end without a start, OCPP 2.0.1',
			'09:10 updated A 1/1 1000 | 09:30 ended A 2000',
			'11-24 22:00',
			[],
		],
		[
			'its start for a day, if the next one of its connector has begun, OCPP 2.0.1',
			unended201,
			'12:00',
			['start 1/1 1000 A', 'start 1/1 2000 B', '1 told'],
		],
		['and then only the next one, OCPP 2.0.1', unended201, '11-24 22:00', ['start 1/1 2000 B']],
		[
			'only the next one, if that has the same ID, OCPP 2.0.1',
			`${whole201} | 09:40 started A 1/1 5000 | 09:45 updated A 1/1 6000`,
			'11-24 22:00',
			['start 1/1 5000 A', '1 values A'],
		],
		[
			'few of the meter values of one that lasts',
			`09:00 start 1 1000 tx=25 | ${eachMinute.map((at, n) => `${at} meter 1 ${1_001 + n}`).join('|')}`,
			'11:59',
			['start 1 1000', 'response 25', '10 values 1'],
		],
		[
			'few of the meter values of one that lasts, OCPP 2.0.1',
			`09:00 started A 1/1 1000 | ${eachMinute.map((at, n) => `${at} updated A ${1_001 + n}`).join('|')}`,
			'11:59',
			['start 1/1 1000 A', '10 values A'],
		],
		[
			'its start as long as its end, OCPP 2.0.1',
			whole201,
			'10:20',
			['start 1/1 1000 A', 'stop A', '1 told'],
		],
		[
			'only the one that has not ended, if that of another EVSE has the same ID',
			shared,
			'11-24 22:00',
			['start 2/1 2000 A'],
		],
		[
			'nothing of both, once the other one is over',
			`${shared} | 12:10 ended A 6000`,
			'11-24 22:00',
			[],
		],
		[
			'the meter values of the next session, though those of its own are not kept',
			`${whole} | 09:40 start 1 4000 tx=26 | 09:50 meter 1 5000 | 09:55 meter 1 5500`,
			'11-24 22:00',
			['start 1 4000', 'response 26', '2 values 1'],
		],
		[
			'the meter values of the next session, though that has the same ID',
			`${whole} | 09:40 start 1 4000 tx=25 | 09:50 meter 1 5000 tx=25`,
			'11-24 22:00',
			['start 1 4000', 'response 25', '1 values 25'],
		],
		[
			'nothing of one whose start was sent again after its end, once the next one is over, OCPP 2.0.1',
			`${whole201} | 10:20 started A 1/1 1000 at=09:00 | 11:00 started B 1/1 4000 | 11:20 ended B 5000`,
			'11-25 10:00',
			[],
		],
		[
			'nothing of a week of sessions',
			week
				.flatMap((day, n) => [
					`${day} 10:00 start 1 ${1_000 * n} tx=${n + 1}`,
					`${day} 10:10 meter 1 ${1_000 * n + 500}`,
					`${day} 10:15 meter 1 ${1_000 * n + 600} tx=${n + 1}`,
					`${day} 10:20 stop ${n + 1} ${1_000 * n + 1_000}`,
					`${day} 10:00 started t${n} 2/1 ${1_000 * n}`,
					`${day} 10:10 updated t${n} 2/1 ${1_000 * n + 500}`,
					`${day} 10:20 ended t${n} ${1_000 * n + 1_000}`,
				])
				.join('|'),
			'12-01 22:00',
			[],
		],
	])('%s', async (_name, events, until, kept) => {
		expect(await keptAt(until, sessionEvents(events))).toEqual(kept);
	});
});

describe('a message that is sent again as it was, long after the first time', () => {
	/** Another connector charges, so that the state is written at each poll. */
	const others = Array.from({ length: 30 }, (_unused, n) => {
		const at = `${String(8 + Math.floor(n / 6)).padStart(2, '0')}:${String(n % 6)}5`;
		return `${at} meter 2 ${100_000 + n} tx=77`;
	});
	const next = '11:30 start 1 6000 tx=26 | 11:50 stop 26 8000';
	const first = '08:10 start 1 1000 tx=25 | 08:40 stop 25 6000';
	const between =
		'09:00 start 3 50 tx=31 | 09:10 stop 31 60 | 10:00 start 3 60 tx=32 | 10:20 stop 32 90';
	const rowsBetween = ['25 Local 5', '31 Local 0.01', '32 Local 0.03', '26 Local 2'];
	const again = 'start 1 1000 at=08:10 id=b tx=25';

	it.each([
		[
			'a start, while the session runs',
			`08:10 start 1 1000 tx=25 | 09:50 ${again} | 10:00 stop 25 6000 | ${next}`,
			['25 Local 5', '26 Local 2'],
		],
		[
			'a start, after the session',
			`08:10 start 1 1000 tx=25 | 08:40 stop 25 6000 | 08:50 ${again} | ${next}`,
			['25 Local 5', '26 Local 2'],
		],
		[
			'a stop without an ID, while the next session runs',
			`09:00 start 1 1000 tx=25 | 09:30 stop -1 6000 | 10:00 start 1 6000 tx=26
			10:10 stop -1 6000 at=09:30 | 11:30 stop 26 9000`,
			['-1 Local 5', '26 Local 3'],
		],
		[
			'a stop, while another session has its ID',
			`08:05 start 1 1000 tx=1 | 08:15 stop 1 3000 | 11:30 start 1 3000 tx=1
			11:40 stop 1 3000 at=08:15 | 11:50 stop 1 5000`,
			['1 Local 2', '1 Local 2'],
		],
		[
			'a start that is answered with another ID, with sessions in between',
			`${first} | ${between} | 11:00 start 1 1000 at=08:10 id=b tx=27 | ${next}`,
			rowsBetween,
		],
		[
			'a start and a stop with another ID, with sessions in between',
			`${first} | ${between} | 11:00 start 1 1000 at=08:10 id=b tx=27 | 11:01 stop 27 6000 at=08:40 | ${next}`,
			rowsBetween,
		],
		[
			'a stop whose ID is of another start',
			`${first} | ${between} | 11:00 start 1 1000 at=08:10 id=b tx=27 | 11:01 stop 28 6000 at=08:40 | ${next}`,
			rowsBetween,
		],
		[
			'a stop that has no ID any more, with sessions in between',
			`${first} | ${between} | 11:01 stop -1 6000 at=08:40 | ${next}`,
			rowsBetween,
		],
		[
			'a stop without a register, while another session has its ID',
			`08:05 start 1 1000 tx=1 | 08:15 stop 1 - | 11:30 start 1 3000 tx=1
			11:40 stop 1 - at=08:15 | 11:50 stop 1 5000`,
			['1 Local null', '1 Local 2'],
		],
	] as const)('makes no session: %s', async (_name, events, rows) => {
		const all = sessionEvents(`08:00 start 2 100000 tx=77 | ${others.join('|')} | ${events}`);
		const often = stationWorld(SESSIONS);
		const once = stationWorld(SESSIONS);
		for (const world of [often, once]) {
			world.events = all;
			await world.pollFrom('07:50', world === often ? '12:40' : '07:55');
		}
		expect(shown(often.items())).toEqual(rows);
		once.now = time('12:40');
		await once.poll();
		expect(shown(once.items()).toSorted()).toEqual(rows.toSorted());
		const { now } = often;
		expect(shown(await sessions(all, { now, from: time('08:00'), to: now }))).toEqual(rows);
	});

	it('makes no session, unlike one of a clock that shows the time of another one again soon', async () => {
		const world = stationWorld(SESSIONS);
		world.events = sessionEvents(`12:00 start 1 1000 at=08:10 tx=1 | 12:00:20 stop 1 1000 at=08:10
			12:00:40 start 1 1000 at=08:10 id=b tx=2 | 12:30 stop 2 6000 at=08:40`);
		await world.pollFrom('11:50', '12:50');
		expect(shown(world.items())).toEqual(['1 Local 0', '2 Local 5']);
	});
});
