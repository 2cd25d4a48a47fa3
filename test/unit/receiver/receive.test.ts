import { ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { REASONS } from '../../../lib/receiver/reasons';
import { receive, readTriggerSettings } from '../../../lib/receiver/receive';
import { createVerifierCache } from '../../../lib/receiver/verify';
import { signTimestamped } from '../../../simulator/delivery/signedDelivery';
import { MemoryLedger } from '../ledger/memoryLedger';

type Receiver = Parameters<typeof receive>[1];

const KEY = ledgerKey('workflow', 'whevt_1');
const NOW = new Date('2026-01-01T00:00:00.000Z');
const event = { id: 'whevt_1', type: 'ocpp.message', data: { asset: { id: 'asset_1' } } };
const TIMESTAMP = 1_767_225_600;
const SECRET = 'the signing secret';

const receiver = (
	parameters: Record<string, unknown> = {},
	changes: Partial<Receiver> = {},
): Receiver & { ledger: MemoryLedger } => {
	const ledger = new MemoryLedger();
	return {
		verifiers: createVerifierCache(),
		secrets: {
			key: 'key',
			read: async () => ({ settings: { signingSecret: SECRET } }),
			refusalOf: () => ({ ok: false, reason: 'not_configured' }),
		},
		ledger,
		openLedger: async () => ledger,
		workflowId: 'workflow',
		isEarly: true,
		settings: readTriggerSettings((name, fallback) => parameters[name] ?? fallback),
		now: () => NOW,
		...changes,
	};
};
const delivery = (body: unknown = event, secret = SECRET) => {
	const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	const signature = signTimestamped(secret, TIMESTAMP, bytes);
	const headers = { 'x-webhook-delivery-id': ['del_1'], 'x-webhook-signature': [signature] };
	return { headers, body: bytes };
};

describe('receive', () => {
	it('starts the workflow with the event as delivered, and holds its claim', async () => {
		const to = receiver();
		const verdict = await receive(delivery(), to);
		expect(verdict).toMatchObject({ start: true, items: [{ record: event }] });
		expect((await to.ledger.look(KEY)).state).toBe('pending');
		if (verdict.start) expect(await verdict.settle?.(true)).toBe('accepted');
		expect((await to.ledger.look(KEY)).state).toBe('stored');
	});

	it.each([
		['signature_missing', [], SECRET],
		['signature_malformed', ['forged'], SECRET],
		['not_configured', [signTimestamped(SECRET, TIMESTAMP, '')], ''],
		['event_invalid', [signTimestamped(SECRET, TIMESTAMP, JSON.stringify(event))], SECRET],
		['event_invalid', [signTimestamped(SECRET, TIMESTAMP, '')], SECRET],
	])('without the bytes of the body, rejects as %s', async (reason, signature, signingSecret) => {
		const headers = { 'x-webhook-signature': signature };
		const secrets = { ...receiver().secrets, read: async () => ({ settings: { signingSecret } }) };
		expect(await receive({ headers, body: undefined }, receiver({}, { secrets }))).toMatchObject({
			...{ start: false, log: { reason } },
		});
	});

	it('adds the data of the delivery on request', async () => {
		const to = receiver({ options: { includeDelivery: true } });
		const verdict = await receive(delivery({ ...event, _delivery: 'from the event' }), to);
		const _delivery = {
			id: 'del_1',
			timestamp: TIMESTAMP,
			secret: 'current',
			receivedAt: NOW.toISOString(),
		};
		expect(verdict).toMatchObject({ start: true, items: [{ record: { ...event, _delivery } }] });
	});

	it.each([
		[
			'the header of the service',
			{ 'x-webhook-delivery-id': 'del_2', 'webhook-id': 'msg_1' },
			'del_2',
		],
		['that of Standard Webhooks', { 'webhook-id': ['msg_1'] }, 'msg_1'],
		['no header', {}, null],
	])('takes the id of the delivery from %s', async (_name, others, id) => {
		const { headers, body } = delivery();
		const signed = { 'x-webhook-signature': headers['x-webhook-signature'], ...others };
		const to = receiver({ options: { includeDelivery: true } });
		const verdict = await receive({ headers: signed, body }, to);
		expect(verdict).toMatchObject({ start: true, items: [{ record: { _delivery: { id } } }] });
	});

	it('hands over the events that arrived meanwhile together, in batches', async () => {
		const to = receiver({ delivery: 'batched' });
		const [first, ...others] = ['1', '2', '3'].map((id) => receive(delivery({ id }), to));
		const run = await first;
		expect(run).toMatchObject({ start: true, items: [{ record: { id: '1' } }] });
		if (run?.start) await run.settle?.(true);
		const batch = await others[0];
		expect(batch).toMatchObject({
			start: true,
			items: [{ record: { id: '2' } }, { record: { id: '3' } }],
		});
		if (batch?.start) await batch.settle?.(true);
		expect(await others[1]).toEqual({
			start: false,
			response: { status: 200, body: { status: 'accepted' } },
		});
	});

	it.each([
		['stored', 'accepted'],
		['succeeded', 'failed'],
	] as const)('settles by the parameter, not by the URL: %s', async (acknowledge, outcome) => {
		const to = receiver({ acknowledge }, { isEarly: false });
		const verdict = await receive(delivery(), to);
		await to.ledger.begin([KEY], { run: 'run', acknowledge, retentionMs: 60_000 });
		await to.ledger.end('run', 'failed');
		expect(verdict.start && (await verdict.settle?.(false))).toBe(outcome);
	});

	it('asks the sender to retry when the event is due again, in whole seconds', async () => {
		const to = receiver();
		const pauseMs = 60_000;
		to.ledger.put(KEY, 'failed', { repeats: true, at: Date.now() + 1_500 - pauseMs });
		expect(await receive(delivery(), to)).toMatchObject({
			response: { status: 503, body: { status: 'busy' }, headers: { 'Retry-After': '2' } },
			log: { reason: 'busy', detail: expect.stringContaining('did not succeed') as string },
		});
	});

	describe('on a clock of the test', () => {
		beforeEach(() => {
			jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'queueMicrotask'] });
		});
		afterEach(() => {
			jest.useRealTimers();
		});
		const busy = {
			start: false,
			response: { status: 503, body: { status: 'busy' }, headers: { 'Retry-After': '60' } },
			log: { reason: 'busy', detail: REASONS.busy.advice },
		};

		describe('while n8n has not responded to another event of a node that gathers them', () => {
			const gathering = async (changes: Partial<Receiver> = {}) => {
				const to = receiver({ delivery: 'batched' }, { workflowId: 'gathers', ...changes });
				const first = await receive(delivery({ id: '1' }), to);
				if (!first.start) throw new Error('The first event did not start');
				return { to, settle: async () => await first.settle?.(true) };
			};

			/** Its verdict, long before the 10 s after which a delivery that waits for another one is handed over. */
			const withoutWaiting = async (verdict: Promise<unknown>) => {
				let given: unknown = 'waiting';
				void verdict.then((seen) => (given = seen));
				await jest.advanceTimersByTimeAsync(1_000);
				return given;
			};

			it('keeps other events waiting', async () => {
				const { to, settle } = await gathering();
				const second = receive(delivery({ id: '2' }), to);
				expect(await withoutWaiting(second)).toBe('waiting');
				await settle();
				const verdict = await second;
				if (verdict.start) await verdict.settle?.(true);
			});

			it('hands over by itself an event that has failed before', async () => {
				const { to, settle } = await gathering();
				to.ledger.put(ledgerKey('gathers', '2'), 'failed', { repeats: true, at: 1 });
				expect(await withoutWaiting(receive(delivery({ id: '2' }), to))).toMatchObject({
					start: true,
					items: [{ record: { id: '2' } }],
				});
				await settle();
			});

			it.each(['another node', 'the other URL of the node'])(
				'does not keep %s waiting',
				async (who) => {
					const { to, settle } = await gathering();
					const secrets = { ...to.secrets, key: 'another key' };
					const other = who === 'another node' ? { secrets } : { isEarly: false };
					expect(
						await withoutWaiting(receive(delivery({ id: '2' }), { ...to, ...other })),
					).toMatchObject({
						start: true,
						items: [{ record: { id: '2' } }],
					});
					await settle();
				},
			);
		});

		it('asks the sender to retry in a minute if another delivery is being handed over for 20 s', async () => {
			const to = receiver();
			to.ledger.put(KEY, 'pending');
			let verdict: unknown;
			void receive(delivery(), to).then((given) => (verdict = given));
			await jest.advanceTimersByTimeAsync(19_900);
			expect(verdict).toBeUndefined();
			await jest.advanceTimersByTimeAsync(400);
			expect(verdict).toEqual(busy);
		});

		it('asks the sender to retry in a minute if n8n does not respond for 10 s to the execution with its event', async () => {
			const to = receiver({ delivery: 'batched' }, { workflowId: 'a batch that n8n keeps' });
			const [, , other] = ['1', '2', '3'].map((id) => receive(delivery({ id }), to));
			await jest.advanceTimersByTimeAsync(12_000);
			expect(await other).toEqual(busy);
		});
	});

	it('refuses an event whose claim fails in an unknown way, and repeats nothing of it', async () => {
		const to = receiver();
		jest.spyOn(to.ledger, 'claim').mockRejectedValue(new Error('secret inside'));
		expect(await receive(delivery(), to)).toEqual({
			start: false,
			response: { status: 503, body: { status: 'unavailable' } },
			log: { reason: 'ledger_unavailable', detail: REASONS.ledger_unavailable.advice },
		});
	});

	it('rejects an unsigned delivery without a call to the ledger', async () => {
		const to = receiver();
		expect(await receive(delivery(event, 'another secret'), to)).toMatchObject({
			start: false,
			response: { status: 401, body: { status: 'rejected' } },
			log: { reason: 'signature_mismatch' },
		});
		expect(to.ledger.calls).toEqual([]);
	});

	it.each(['no JSON', [], { type: 'ocpp.message' }, { id: '' }])(
		'rejects the signed body %j, which is not an event',
		async (body) => {
			expect(await receive(delivery(body), receiver())).toMatchObject({
				start: false,
				response: { status: 400, body: { status: 'invalid' } },
				log: { reason: 'event_invalid' },
			});
		},
	);

	it('ignores a type that is not wanted, and does not remember it', async () => {
		const to = receiver({ eventTypes: ['asset.*'] });
		const verdict = await receive(delivery(), to);
		expect(verdict).toEqual({
			start: false,
			response: { status: 200, body: { status: 'ignored' } },
			ignored: { id: event.id, type: event.type, record: event },
		});
		expect(to.ledger.calls).toEqual([]);
	});

	it('ignores an event that does not meet the conditions, and does not remember it', async () => {
		const condition = [{ field: 'data.asset.id', operator: 'equals', value: 'asset_2' }];
		const to = receiver({ conditions: { condition } });
		expect(await receive(delivery(), to)).toEqual({
			start: false,
			response: { status: 200, body: { status: 'ignored' } },
			ignored: { id: event.id, type: event.type, record: event },
		});
		expect(to.ledger.calls).toEqual([]);
		const wanted = { ...event, data: { asset: { id: 'asset_2' } } };
		expect(await receive(delivery(wanted), to)).toMatchObject({
			start: true,
			items: [{ record: wanted }],
		});
	});

	it('looks at the conditions after the signature', async () => {
		const condition = [{ field: 'data.asset.id', operator: 'exists' }];
		const verdict = await receive(
			delivery(event, 'forged'),
			receiver({ conditions: { condition } }),
		);
		expect(verdict).toMatchObject({ response: { status: 401 } });
	});

	it('acknowledges nothing while a condition cannot be met by any event', async () => {
		const wrong = { field: 'id', operator: 'lessThan', value: 'abc' };
		const condition = [wrong, wrong];
		expect(await receive(delivery(), receiver({ conditions: { condition } }))).toMatchObject({
			response: { status: 503, body: { status: 'unavailable' } },
			log: {
				reason: 'not_configured',
				detail: expect.stringMatching(/^Condition 1: 'abc' .*\. Condition 2: /) as string,
			},
		});
	});

	it.each(['stored', 'running', 'asleep', 'interrupted', 'failed', 'done', 'begun'] as const)(
		'reports a duplicate if the event is %s',
		async (state) => {
			const to = receiver();
			to.ledger.put(KEY, state);
			expect(await receive(delivery(), to)).toEqual({
				start: false,
				response: { status: 200, body: { status: 'duplicate' } },
			});
		},
	);

	it.each(['stored', 'running'] as const)(
		'asks the sender to retry if the event must succeed and is %s',
		async (state) => {
			const to = receiver({ acknowledge: 'succeeded' });
			to.ledger.put(KEY, state);
			expect(await receive(delivery(), to)).toMatchObject({
				response: { status: 503, body: { status: 'busy' }, headers: { 'Retry-After': '60' } },
			});
		},
	);

	it('asks the sender to retry while the ledger is down, and logs the reason', async () => {
		const to = receiver();
		to.ledger.failing = true;
		expect(await receive(delivery(), to)).toEqual({
			start: false,
			response: { status: 503, body: { status: 'unavailable' } },
			log: { reason: 'ledger_unavailable', detail: 'The disk is full' },
		});
	});

	it('opens the ledger only for an event to claim, and rejects the delivery with the reason if it cannot be opened', async () => {
		const openLedger = jest.fn(async () => {
			throw new LedgerUnavailableError('Set the variable right.');
		});
		await receive(delivery({ id: '' }), receiver({}, { openLedger }));
		await receive(delivery(), receiver({ eventTypes: ['other'] }, { openLedger }));
		expect(openLedger).not.toHaveBeenCalled();
		expect(await receive(delivery(), receiver({}, { openLedger }))).toMatchObject({
			start: false,
			response: { status: 503, body: { status: 'unavailable' } },
			log: { reason: 'ledger_unavailable', detail: 'Set the variable right.' },
		});
	});

	it('starts without a claim if there is no ledger, as in a test in the editor', async () => {
		const { ledger, openLedger, ...others } = receiver();
		const verdict = await receive(delivery(), others);
		expect(verdict).toEqual({ start: true, items: [{ record: event }] });
		expect(ledger.calls).toEqual([]);
	});
});
