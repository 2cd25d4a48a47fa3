/** The times of a rotation as entered, in days, hours or as a date, compared with the stored ones. */
import { z } from 'zod/v4';
import { recordIn } from '../../support/records';
import { withDatabase } from '../../support/sqlite';
import { waitFor } from '../../support/wait';
import { cleanUpAfterEach, createWorld, ENDPOINTS } from './registrations';

cleanUpAfterEach();

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Makes the registered endpoint this much older. */
function age(ledgerPath: string, ms: number): void {
	withDatabase(ledgerPath, (database) => {
		database
			.prepare(
				`UPDATE record SET value = '1' || json_set(substr(value, 2), '$.current.createdAt', substr(value, 2) ->> '$.current.createdAt' - ?)`,
			)
			.run(ms);
	});
}

const Rotated = z.object({ previous: z.object({ deleteAfter: z.number() }) });

/** When the replaced endpoint is due for deletion; undefined if there is none. */
function deleteAfter(ledgerPath: string): number | undefined {
	const row = withDatabase(ledgerPath, (database) =>
		database.prepare('SELECT value FROM record').get(),
	);
	return Rotated.safeParse(recordIn(String(row?.['value']))).data?.previous.deleteAfter;
}

it.each([
	['24 hours by default', {}, 24],
	['the hours given', { rotationGraceHours: 3 }, 3],
])('keeps a replaced endpoint for %s', async (_which, grace, hours) => {
	const { publish, unpublish, ledgerPath } = await createWorld({
		parameters: { options: { rotateAfterDays: 30, ...grace } },
	});
	await publish();
	age(ledgerPath, 30 * DAY_MS);
	const before = Date.now();
	await publish();
	const kept = await waitFor(() => deleteAfter(ledgerPath), { what: 'the rotation' });
	expect(kept).toBeGreaterThanOrEqual(before + hours * HOUR_MS);
	expect(kept).toBeLessThanOrEqual(Date.now() + hours * HOUR_MS);
	await unpublish();
});

it('replaces no endpoint before the given days', async () => {
	const { publish, unpublish, deliver, simulator, ledgerPath } = await createWorld({
		parameters: { options: { rotateAfterDays: 30 } },
	});
	await publish();
	age(ledgerPath, 30 * DAY_MS - 60_000);
	await publish();
	await deliver();
	expect(simulator.stats.endpoints).toMatchObject({ created: 1 });
	await unpublish();
});

it('replaces an endpoint at once by a date that has come: creates, accepts both, deletes, and then no more', async () => {
	const { publish, unpublish, deliver, change, simulator, ledgerPath } = await createWorld();
	await publish();
	age(ledgerPath, HOUR_MS);
	const [old] = simulator.endpoints;
	const rotateAt = new Date(Date.now() - 60_000).toISOString();
	change({ options: { rotateAt, rotationGraceHours: 0.5 / 3600 } });
	await publish();
	await waitFor(() => simulator.endpoints.length === 2, { what: 'the new endpoint', everyMs: 5 });
	expect(await deliver()).toMatchObject([{ status: 200 }, { status: 200 }]);
	await waitFor(() => simulator.endpoints.length === 1, { what: 'the old one to be deleted' });
	expect(await deliver()).toMatchObject([{ status: 200 }]);

	const [now] = simulator.endpoints;
	const changes = simulator.stats.requests.filter(({ path }) => path.startsWith(ENDPOINTS));
	expect(
		changes.filter(({ method }) => method !== 'GET').map(({ method, path }) => [method, path]),
	).toEqual([
		['POST', ENDPOINTS],
		['POST', ENDPOINTS],
		['DELETE', `${ENDPOINTS}/${old?.id ?? ''}`],
	]);
	await publish();
	await deliver();
	expect(simulator.endpoints).toEqual([now]);
	await unpublish();
});

it.each(['tomorrow', '2026-13-01', {}])(
	'does not publish with %j as the date',
	async (rotateAt) => {
		const { publish, simulator } = await createWorld({ parameters: { options: { rotateAt } } });
		await expect(publish()).rejects.toThrow("'Rotate Secret At' is not a date and time");
		expect(simulator.endpoints).toEqual([]);
	},
);
