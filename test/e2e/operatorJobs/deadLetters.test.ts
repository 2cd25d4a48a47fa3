/** The job "Dead letters" on a real n8n: its mail about a day with executions that succeed, fail, crash and are canceled. */
import { DateTime } from 'luxon';
import { type EventInput, startSimulator } from '../../../simulator';
import { endAfterEach, useForEach } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { example } from '../../support/n8n/examples';
import { ledgerFile, passTimeInSqlite } from '../../support/n8n/ledgerClock';
import { WorkflowFileShape } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { waitForWebhook } from '../../support/n8n/workflows';
import { waitFor } from '../../support/wait';
import { type Mail, startMailbox } from './mailbox';
import { publishWork, startWork } from './work';

const HOUR_MS = 3_600_000;
const JOB = 'dead-letters.json';

const world = useWorld();
const simulator = useForEach(() => startSimulator());
const stopped = endAfterEach();

/** The job as a user sets it up. */
async function setUpJob(workflowId: string) {
	const { client } = world;
	const mailbox = stopped(await startMailbox());
	const credentials = [
		await client.createCredential(apiCredential(simulator)),
		await client.createCredential(mailbox.credential),
	];
	return async () => {
		const file = WorkflowFileShape.parse(example(JOB, { replace_me: workflowId }));
		const nodes = file.nodes.map((node) => ({ ...node, disabled: false }));
		const job = await client.importWorkflow({ ...file, nodes }, credentials);
		const before = mailbox.mails.length;
		const execution = await client.waitForExecution(
			await client.runManually(job.id, 'Every morning'),
		);
		expect(execution.data.resultData.error).toBeUndefined();
		expect(execution.status).toBe('success');
		const mails: readonly Mail[] = mailbox.mails.slice(before);
		return mails;
	};
}

function eventOf(work: string, hoursAgo: number): EventInput {
	const createdAt = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
	return { type: 'asset.connectivity', createdAt, data: { asset: { id: `asset_${work}` }, work } };
}

it('mails the events whose executions failed, crashed or were canceled', async () => {
	const { client, server } = world;
	const work = stopped(await startWork());
	const { workflowId, url } = await publishWork(world, simulator, { work, acknowledge: 'stored' });
	const runJob = await setUpJob(workflowId);
	/** Sends an event, and returns it with its execution as soon as that has made its call. */
	const send = async (what: string, hoursAgo: number) => {
		const { event, responses } = await simulator.emit(eventOf(what, hoursAgo));
		expect(responses).toMatchObject([{ status: 200 }]);
		await waitFor(() => work.callsOf(event.id) > 0, { what: `the execution for ${event.id}` });
		const [execution] = await client.listExecutions({ workflowId, limit: 1 });
		return { ...event, assetId: `asset_${what}`, executionId: execution?.id ?? '' };
	};

	await send('succeeds', 20);
	expect(await runJob()).toEqual([]);

	const failed = await send('fails', 18);
	const canceled = await send('hangs', 12);
	await client.stopExecution(canceled.executionId);
	await send('succeeds', 10);
	await client.waitForExecutions({ workflowId }, 4);
	const crashed = await send('hangs', 8);
	await server.kill();
	await server.start();
	await waitForWebhook(url);

	const letter = (
		{ id, type, createdAt, assetId, executionId }: Awaited<ReturnType<typeof send>>,
		state: string,
	) => {
		const link = `${world.url}/workflow/${workflowId}/executions/${executionId}`;
		const local = DateTime.fromISO(createdAt, { zone: 'UTC' }).toFormat('yyyy-MM-dd HH:mm ZZZZ');
		return [local, assetId, state, id, type, link].join(' ');
	};
	// The last one counts as interrupted once the killed process counts as dead.
	const mails = await waitFor(
		async () => {
			const sent = await runJob();
			return sent[0]?.subject !== 'Dead letters: 2 events' && sent;
		},
		{ what: 'the third event', timeoutMs: 3 * 60_000, everyMs: 10_000 },
	);
	expect(mails).toHaveLength(1);
	const [{ subject, lines: [, ...lines] } = { subject: '', lines: [] }] = mails;
	expect(subject).toBe('Dead letters: 3 events');
	expect(lines.toSorted()).toEqual(
		[
			letter(failed, 'failed'),
			letter(canceled, 'failed'),
			letter(crashed, 'interrupted'),
		].toSorted(),
	);
});

it('leaves out events that have succeeded since', async () => {
	const work = stopped(await startWork());
	const { workflowId } = await publishWork(world, simulator, { work, acknowledge: 'succeeded' });
	const runJob = await setUpJob(workflowId);
	const { event, responses } = await simulator.emit(eventOf('fails', 5));
	expect(responses).toMatchObject([{ status: 500 }]);

	const mails = await runJob();
	expect(mails).toMatchObject([{ subject: 'Dead letters: 1 events' }]);
	expect(mails[0]?.lines[1]).toContain(event.id);

	// The next delivery, as the service sends it an hour later.
	const calls = work.callsOf(event.id);
	work.repair();
	passTimeInSqlite(ledgerFile(world.userFolder), HOUR_MS);
	const again = await simulator.emit({ id: event.id });
	expect(again.responses).toMatchObject([{ status: 200 }]);
	expect(await runJob()).toEqual([]);
	expect(work.callsOf(event.id)).toBe(calls + 1);
});
