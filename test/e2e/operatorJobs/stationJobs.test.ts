/** The jobs that watch stations and check their data every few minutes, on a real n8n: the notices they mail, however events arrive. */
import { DateTime } from 'luxon';
import { LISTS } from '../../../lib/service';
import { type EventInput, startSimulator } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { endAfterEach, useForAll } from '../../support/lifetime';
import { useWorld } from '../../support/n8n/useWorld';
import { type FileNode, publishJob } from './job';
import { startMailbox } from './mailbox';
import { type StoryTeller, storyTeller } from './messages';

const ZONE = 'America/New_York';
const SCHEDULE = 'n8n-nodes-base.scheduleTrigger';
const ASSETS = generateAssets(40);
/** Mails show other names in another form. */
const PLAIN = ASSETS.filter(({ chargingStation: { name } }) => /^[\w ]+$/.test(name));
const HOURS = 60;

const world = useWorld();

/** Only the test starts the checks. */
function unscheduled(node: FileNode): FileNode {
	const yearly = { rule: { interval: [{ field: 'months', monthsInterval: 12 }] } };
	return node.type === SCHEDULE ? { ...node, parameters: yearly } : node;
}

/** In the time zone of the workflow. */
const local = (time: string) =>
	DateTime.fromISO(time, { zone: ZONE }).toFormat('yyyy-MM-dd HH:mm ZZZZ');

// Different assets, since both profiles write to the same tables.
describe.each([
	['documented', PLAIN.slice(0, 10)],
	['field', PLAIN.slice(10)],
] as const)('with events as %s', (profile, assets) => {
	const simulator = useForAll(() => startSimulator({ profile, assets: ASSETS.length }));
	const stopped = endAfterEach();

	const assetRequests = () =>
		simulator.stats.requests.filter(({ path }) => path === LISTS.asset.path).length;

	/** Publishes the job. The returned function sends events, makes the job check once, and returns the mails of that check. */
	const watch = async (file: string, schedule: string) => {
		const { client } = world;
		const mailbox = stopped(await startMailbox());
		const options = { change: unscheduled, mailbox, timezone: ZONE };
		const job = stopped(await publishJob(world, simulator, file, options));
		return async (events: readonly EventInput[]) => {
			await job.tell(events);
			await job.settled();
			const before = mailbox.mails.length;
			const listedBefore = assetRequests();
			const id = await client.runManually(job.workflowId, schedule);
			const { status, data } = await client.waitForExecution(id);
			expect([status, data.resultData.error]).toEqual(['success', undefined]);
			const mails = mailbox.mails.slice(before);
			// One page has all assets, so one request is enough, however many notices need names.
			expect(assetRequests() - listedBefore).toBe(mails.length > 0 ? 1 : 0);
			return mails.map(({ subject, lines }) => [subject, ...lines]).sort();
		};
	};
	/** A station that the service lists. */
	const listed = ({ station }: StoryTeller, index: number) => {
		const { id = '', chargingStation } = assets[index] ?? {};
		return { ...station(id), name: chargingStation?.name ?? '' };
	};

	it('stuck-status.json sends one notice for each connector that stays in a status too long', async () => {
		const teller = storyTeller(profile);
		const { station, time } = teller;
		const check = await watch('stuck-status.json', 'Every 10 minutes');
		const open = listed(teller, 0);
		const movedOn = listed(teller, 1);
		const over = listed(teller, 2);
		const longAgo = listed(teller, 3);
		const twoConnectors = listed(teller, 4);
		const split = listed(teller, 5);
		const free = listed(teller, 6);
		const modern = listed(teller, 7);
		const unlisted = station();
		const status = (name: string, connectorId = 1) =>
			['StatusNotification', { connectorId, errorCode: 'NoError', status: name }] as const;
		const notice = (
			{ id, name = id }: { id: string; name?: string },
			[what, connector, minutes]: readonly [string, string, number],
			[from, to]: readonly [number, number?],
		) => {
			const until = to === undefined ? '' : `, until ${local(time(to))}`;
			return [
				`${name}, connector ${connector}: ${what} for ${minutes} minutes`,
				`${what} since ${local(time(from))}${until}. Asset: ${id}.`,
			];
		};

		const mails = await check([
			...open.call(200, ...status('Preparing')),
			...open.call(100, ...status('Preparing')),
			...movedOn.call(190, ...status('Preparing')),
			...movedOn.call(180, ...status('Charging')),
			...over.call(340, ...status('Finishing')),
			...over.call(150, ...status('Available')),
			...longAgo.call(12 * HOURS, ...status('Finishing')),
			...longAgo.call(8 * HOURS, ...status('Available')),
			...twoConnectors.call(130, ...status('Reserved', 2)),
			...twoConnectors.call(60, ...status('Reserved', 1)),
			...split.call(300, ...status('Unavailable')),
			...split.call(110, ...status('Unavailable')),
			...split.call(200, ...status('Available')),
			...free.call(300, ...status('Available')),
			...modern.call(150, 'StatusNotification', {
				...{ evseId: 1, connectorId: 2, connectorStatus: 'Unavailable' },
			}),
			...unlisted.call(125, ...status('SuspendedEV')),
		]);
		// The test itself uses up part of the last minute.
		const anyMinutes = (lines: readonly string[]) =>
			lines.map((line) =>
				line.replace(
					/for (\d+) minutes/,
					(_all, minutes: string) => `for ${Math.floor(Number(minutes) / 10) * 10} minutes`,
				),
			);
		expect(mails.map(anyMinutes)).toEqual(
			[
				notice(open, ['Preparing', '1', 200], [200]),
				notice(over, ['Finishing', '1', 190], [340, 150]),
				notice(twoConnectors, ['Reserved', '2', 130], [130]),
				notice(modern, ['Unavailable', '1/2', 150], [150]),
				notice(unlisted, ['SuspendedEV', '1', 120], [125]),
			].sort(),
		);

		// The same status again, or an earlier report of it, belongs to the same incident.
		expect(
			await check([
				...open.call(50, ...status('Preparing')),
				...open.call(210, ...status('Preparing')),
			]),
		).toEqual([]);
		// The status changed, and the next one lasts too long. Without a list of assets, the notice has the ID.
		simulator.faults.add({ path: LISTS.asset.path, status: 403 });
		const again = await check([
			...twoConnectors.call(129, ...status('Available', 2)),
			...twoConnectors.call(125, ...status('Reserved', 2)),
		]);
		simulator.faults.clear();
		expect(again.map(anyMinutes)).toEqual([
			notice({ id: twoConnectors.id }, ['Reserved', '2', 120], [125]),
		]);
		expect(await check([])).toEqual([]);

		const rows = await world.client.tableRows('Connector status reports');
		expect(rows.filter(({ assetId }) => assetId === longAgo.id)).toMatchObject([
			{ status: 'Available' },
		]);
		expect(new Set(rows.map(({ event }) => event)).size).toBe(rows.length);
	});

	it('repeated-faults.json sends one notice for several faults of a station within some time', async () => {
		const teller = storyTeller(profile);
		const { station, time } = teller;
		const check = await watch('repeated-faults.json', 'Every 5 minutes');
		const three = listed(teller, 0);
		const two = listed(teller, 1);
		const spread = listed(teller, 2);
		const sentTwice = listed(teller, 3);
		const unlisted = station();
		const fault = (connectorId: number, errorCode: string, more: object = {}) =>
			['StatusNotification', { connectorId, errorCode, status: 'Faulted', ...more }] as const;
		const line = (hoursAgo: number, connector: number, codes: string) =>
			`${local(time(hoursAgo * HOURS))}, connector ${connector}: ${codes}`;

		const mails = await check([
			...three.call(20 * HOURS, ...fault(1, 'GroundFailure')),
			...three.call(
				10 * HOURS,
				...fault(2, 'OtherError', { vendorErrorCode: 'E42', info: 'Door' }),
			),
			...three.call(1 * HOURS, ...fault(1, 'NoError')),
			...two.call(20 * HOURS, ...fault(1, 'OtherError')),
			...two.call(10 * HOURS, ...fault(1, 'OtherError')),
			...two.call(5 * HOURS, 'StatusNotification', {
				...{ connectorId: 1, errorCode: 'NoError', status: 'Available' },
			}),
			...spread.call(40 * HOURS, ...fault(1, 'OtherError')),
			...spread.call(20 * HOURS, ...fault(1, 'OtherError')),
			...spread.call(10 * HOURS, ...fault(1, 'OtherError')),
			...[3, 2.9, 2.8].flatMap((hours) =>
				sentTwice.call(hours * HOURS, ...fault(1, 'OtherError', { timestamp: time(180) })),
			),
			...[6, 5, 4, 3].flatMap((hours) => unlisted.call(hours * HOURS, ...fault(1, 'OtherError'))),
		]);
		expect(mails).toEqual(
			[
				[
					`${three.name}: 3 faults within 24 hours`,
					line(20, 1, 'GroundFailure'),
					line(10, 2, 'OtherError, E42, Door'),
					line(1, 1, 'NoError'),
					...['', `Asset: ${three.id}.`],
				],
				[
					`${unlisted.id}: 4 faults within 24 hours`,
					...[6, 5, 4, 3].map((hours) => line(hours, 1, 'OtherError')),
					...['', `Asset: ${unlisted.id}.`],
				],
			].sort(),
		);

		// Later and delayed faults belong to the same notice until the time is over.
		expect(
			await check([
				...three.call(0.5 * HOURS, ...fault(1, 'OtherError')),
				...three.call(15 * HOURS, ...fault(1, 'OtherError')),
			]),
		).toEqual([]);
		const [[subject] = []] = await check(two.call(1 * HOURS, ...fault(2, 'OtherError')));
		expect(subject).toBe(`${two.name}: 3 faults within 24 hours`);
		expect(await check([])).toEqual([]);
	});
});
