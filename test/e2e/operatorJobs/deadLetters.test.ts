/** The job "Dead letters" on a real n8n: its mail about a day with executions that succeed, fail, crash and are canceled. */
import { DateTime } from 'luxon';
import { z } from 'zod/v4';
import { type EventInput, startSimulator } from '../../../simulator';
import { endAfterEach, useForEach } from '../../support/lifetime';
import { type Credential, itemsOf, WorkflowFileShape } from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { example } from '../../support/n8n/examples';
import { ledgerFile, passTimeInSqlite } from '../../support/n8n/ledgerClock';
import { createSession } from '../../support/n8n/session';
import { useWorld } from '../../support/n8n/useWorld';
import { waitForWebhook } from '../../support/n8n/workflows';
import { TRIGGER } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { type Mail, startMailbox } from './mailbox';
import { publishWork, startWork } from './work';

const HOUR_MS = 3_600_000;
const JOB = 'dead-letters.json';
const LINK = /\/workflow\/(\w+)\/executions\/(\d+)$/;

const world = useWorld();
const simulator = useForEach(() => startSimulator());
const stopped = endAfterEach();

/** The job as a user sets it up; with `retries`, as its note allows. */
async function setUpJob(workflowId: string, acknowledge = 'Once Stored') {
	const { client, url, owner } = world;
	const session = createSession(url);
	const { email: emailOrLdapLoginId, password } = owner;
	await session.send('POST', '/rest/login', z.unknown(), { emailOrLdapLoginId, password });
	const scopes = ['execution:list', 'execution:retry'];
	const asked = { label: workflowId, expiresAt: null, scopes };
	const shape = z.object({ data: z.object({ rawApiKey: z.string() }) });
	const { data: key } = await session.send('POST', '/rest/api-keys', shape, asked);
	const mailbox = stopped(await startMailbox());
	const n8nApi = await client.createCredential({
		...{ name: 'n8n', type: 'n8nApi' },
		data: { apiKey: key.rawApiKey, baseUrl: `${url}/api/v1` },
	});
	const credentials: Credential[] = [
		n8nApi,
		await client.createCredential(apiCredential(simulator)),
		await client.createCredential(mailbox.credential),
	];
	return async ({ retries = false } = {}) => {
		const replacements = { replace_me: workflowId, 'https://replace-me.example': url };
		const settings = { ...replacements, 'Once Stored': acknowledge };
		const file = WorkflowFileShape.parse(example(JOB, settings));
		const enabled = ['Send mail', ...(retries ? ['Retry execution'] : [])];
		const nodes = file.nodes.map((node) =>
			enabled.includes(String(node['name'])) ? { ...node, disabled: false } : node,
		);
		const job = await client.importWorkflow({ ...file, nodes }, credentials);
		await client.useCredential(job.id, 'Retry execution', n8nApi);
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

it('mails the events whose executions failed, crashed or were canceled and have not succeeded since', async () => {
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
	const laterRepaired = await send('fails', 16);
	const failedAgain = await send('fails', 14);
	const canceled = await send('hangs', 12);
	await client.stopExecution(canceled.executionId);
	await send('succeeds', 10);
	await client.waitForExecutions({ workflowId }, 6);
	const again = await client.retryExecution(failedAgain.executionId);
	work.repair();
	await client.retryExecution(laterRepaired.executionId);
	work.repair(false);
	const crashed = await send('hangs', 8);
	await server.kill();
	await server.start();
	await waitForWebhook(url);

	const letter = (
		{ id, type, createdAt, assetId }: Awaited<ReturnType<typeof send>>,
		status: string,
		executionId: string,
	) => {
		const link = `${world.url}/workflow/${workflowId}/executions/${executionId}`;
		const local = DateTime.fromISO(createdAt, { zone: 'UTC' }).toFormat('yyyy-MM-dd HH:mm ZZZZ');
		return { id, status, link, text: [id, type, assetId, local, status, link].join(' ') };
	};
	const expected = [
		letter(failed, 'error', failed.executionId),
		letter(failedAgain, 'error', again.id),
		letter(canceled, 'canceled', canceled.executionId),
		letter(crashed, 'crashed', crashed.executionId),
	];
	const mails = await runJob();
	expect(mails).toHaveLength(1);
	const [{ subject, lines: [, ...lines] } = { subject: '', lines: [] }] = mails;
	expect(subject).toBe('Dead letters: 4 events, 4 executions');
	expect(lines).toEqual(expected.map(({ text }) => text));
	for (const { link, id, status } of expected) {
		const [, inWorkflow, executionId = ''] = LINK.exec(link) ?? [];
		const execution = await client.getExecution(executionId);
		expect(execution).toMatchObject({ workflowId: inWorkflow, status });
		// n8n saves no items of an interrupted execution.
		if (status === 'error') expect(itemsOf(execution, TRIGGER)).toMatchObject([{ json: { id } }]);
	}

	const calls = expected.map(({ id }) => work.callsOf(id));
	work.repair();
	const more = await runJob({ retries: true });
	expect(more).toHaveLength(1);
	expect(expected.map(({ id }) => work.callsOf(id))).toEqual(calls.map((count) => count + 1));
	expect(await runJob()).toEqual([]);
});

it('leaves out events that the triggers start again, and events that have succeeded since', async () => {
	const work = stopped(await startWork());
	const { workflowId } = await publishWork(world, simulator, { work, acknowledge: 'succeeded' });
	const runJob = await setUpJob(workflowId, 'Once Succeeded');
	const { event, responses } = await simulator.emit(eventOf('fails', 5));
	expect(responses).toMatchObject([{ status: 500 }]);

	const calls = work.callsOf(event.id);
	const mails = await runJob({ retries: true });
	expect(mails).toMatchObject([{ subject: 'Dead letters: 1 events, 1 executions' }]);
	expect(mails[0]?.lines[1]).toContain(event.id);
	expect(work.callsOf(event.id)).toBe(calls);

	// The next delivery, as the service sends it an hour later.
	work.repair();
	passTimeInSqlite(ledgerFile(world.userFolder), HOUR_MS);
	const again = await simulator.emit({ id: event.id });
	expect(again.responses).toMatchObject([{ status: 200 }]);
	expect(await runJob()).toEqual([]);
	expect(work.callsOf(event.id)).toBe(calls + 1);
});
