import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { ledgerKey } from '../../../lib/ledger';
import { SqliteLedger } from '../../../lib/ledger/sqlite';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import type { Simulator } from '../../../simulator';
import { runNode } from '../../support/runNode';
import { ledger, ledgerPath, pollNode, pollUntil, record, start, useWorldOfItsOwn } from './polls';

useWorldOfItsOwn();

const RETENTION_MS = 35 * 24 * 60 * 60_000;
const LEASE_MS = 60_000;

/** By their states, the ids of the events that have not begun. */
async function reconcile(simulator: Simulator, workflowId: string) {
	const { baseUrl, authUrl, audience, clientId, clientSecret } = simulator;
	const { items, error } = await runNode({
		node: new AssetService(),
		credentials: [
			{
				type: new AssetServiceApi(),
				data: { baseUrl, authUrl, audience, clientId, clientSecret },
			},
		],
		parameters: { resource: 'event', operation: 'reconcile', workflowId },
	});
	expect(error).toBeUndefined();
	const of = (state: string) =>
		items.filter(({ json }) => json['state'] === state).map(({ json }) => json['id'] as string);
	return { missing: of('missing').sort(), stored: of('stored').sort(), begun: of('begun').length };
}

it('finds a hundred gaps in two thousand events, which the next poll then starts', async () => {
	const simulator = await start();
	const node = pollNode({ parameters: { startFrom: 'retained', limit: 100 } });
	const { workflowId } = node;
	const ids = await record(2_000);
	const gaps = ids.filter((_id, n) => n % 20 === 7);
	const keyOf = (id: string) => ledgerKey(workflowId, id);
	const store = await ledger();
	const arrived = ids.filter((id) => !gaps.includes(id));
	await store.begin(arrived.map(keyOf), 'a run', RETENTION_MS);
	const [lost, refused] = [gaps.slice(40, 70), gaps.slice(70)];
	// Stored twenty minutes ago, and never begun.
	const earlier = new SqliteLedger({ path: ledgerPath, now: () => Date.now() - 20 * 60_000 });
	for (const [ledgerThen, given] of [[earlier, lost] as const, [store, refused] as const]) {
		for (const id of given) {
			const answer = await ledgerThen.claim(keyOf(id), LEASE_MS);
			if (answer.state !== 'claimed') throw new Error(answer.state);
			if (given === lost) await ledgerThen.commit(answer.claim, RETENTION_MS);
			else await ledgerThen.release(answer.claim);
		}
	}
	await earlier.close();

	const missing = gaps.filter((id) => !lost.includes(id)).sort();
	expect(await reconcile(simulator, workflowId)).toEqual({
		missing,
		stored: [...lost].sort(),
		begun: 1_900,
	});
	await pollUntil(node.activation('activate'), 'the gaps to run', () => node.ids().length >= 100);
	expect(node.ids()).toEqual(gaps);
	expect(await reconcile(simulator, workflowId)).toEqual({ missing: [], stored: [], begun: 2_000 });
}, 60_000);
