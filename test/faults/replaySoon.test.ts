/** A user replays events while their executions still run or have just ended: each starts once more, within two polls. */
import { expectPromisesKept } from '../support/expectations';
import { eventOf, type HostileList, startHostileList } from '../support/hostileList';
import { endAfterEach } from '../support/lifetime';
import { accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import { type CountedWorkflow, countedWorkflows } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import { waitFor } from '../support/wait';

const MINUTES = 60_000;
/** Below and above the 30 s after which a poll no longer waits for an execution. */
const LASTS_MS = { short: 5_000, long: 40_000 };

const world = useWorld();
const publish = countedWorkflows();
const ended = endAfterEach();

interface Scene {
	readonly list: HostileList;
	readonly trigger: CountedWorkflow;
	/** Requests a replay, and returns whether it was granted. */
	readonly replay: () => Promise<boolean>;
	readonly executions: () => number;
	readonly deactivate: () => Promise<void>;
}

/** Publishes a workflow with "Do Not Start Again" that polls a single event, and waits until its execution has begun. */
async function sceneOf(lastsMs: number): Promise<Scene> {
	const list = ended(await startHostileList([]));
	const trigger = await publish(world, {
		parameters: OPEN_TO_ALL,
		poll: { service: list, startFrom: 'retained' },
		executions: { lastsMs },
	});
	const accounts = await accountsOf(world.client, trigger.workflow, list, trigger.recorder);
	// Not in the first poll, which n8n makes on publishing: the second one may follow at once, the others follow each minute.
	const event = eventOf(0);
	list.events.push(event);
	const executions = () => trigger.counter.calls.length;
	await waitFor(() => executions() === 1, {
		what: 'the execution to begin',
		timeoutMs: 2 * MINUTES,
	});
	return {
		...{ list, trigger, executions },
		replay: async () => (await accounts.replay([event.id])).get(event.id)?.replayed === true,
		deactivate: () => world.client.deactivate(trigger.workflow.id),
	};
}

/** Replays at once, and again each second until it is granted: the event of a running execution is not replayed. */
async function replayed(scene: Scene): Promise<{ askedWhileRunning: boolean; requests: number }> {
	const askedWhileRunning = scene.trigger.counter.waiting > 0;
	let requests = 0;
	await waitFor(
		async () => {
			requests += 1;
			return await scene.replay();
		},
		{ what: 'the replay to be granted', timeoutMs: 2 * MINUTES, everyMs: 1_000 },
	);
	return { askedWhileRunning, requests };
}

it('starts a replayed event once more, whether its execution runs or has just ended', async () => {
	// Each by itself: n8n polls for the two workflows at different seconds.
	const results = await Promise.all([
		(async () => {
			const scene = await sceneOf(LASTS_MS.long);
			return { scene, ...(await replayed(scene)) };
		})(),
		(async () => {
			const scene = await sceneOf(LASTS_MS.short);
			await waitFor(() => scene.trigger.counter.waiting === 0, { what: 'it to end', everyMs: 10 });
			return { scene, ...(await replayed(scene)) };
		})(),
	]);
	await Promise.all(results.map(({ scene }) => scene.list.untilPolled(2)));
	await waitFor(() => results.every(({ scene }) => scene.trigger.counter.waiting === 0), {
		what: 'all executions to end',
		timeoutMs: 2 * MINUTES,
	});
	const [running, endedJustNow] = results;
	const executions = results.map(({ scene }) => scene.executions());
	report(
		`a replay while the execution ran (${running.requests} requests) and one just after it ended (${endedJustNow.requests}): ${executions.join(' and ')} executions after two polls`,
	);
	expect(running.askedWhileRunning).toBe(true);
	expect(executions).toEqual([2, 2]);
	for (const { scene } of results) {
		await expectPromisesKept(scene.trigger);
		await scene.deactivate();
	}
});
