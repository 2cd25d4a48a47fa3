/** How the ledger handles responses of Redis that never arrive, and changes by others in between. */
import { ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { SCRIPTS } from '../../../../lib/ledger/redis/scripts';
import { MemoryRedis } from './memoryRedis';
import { advanceUntil, type Answer, HANG_UP, ScriptedRedis, stopTheClock } from './scriptedRedis';

const KEY = ledgerKey('workflow', 'whevt_1');
const ENTRY = `asset-service:ledger:${KEY}`;
const RETENTION_MS = 1_000_000;
const BEGINNING = { run: 'run', acknowledge: 'stored', retentionMs: RETENTION_MS } as const;
const NAMES = new Map([
	[SCRIPTS.read.sha, 'read'],
	[SCRIPTS.swap.sha, 'swap'],
	[SCRIPTS.setSession.sha, 'session'],
]);

describe('the ledger on Redis', () => {
	let redis: ScriptedRedis;
	let memory: MemoryRedis;
	/** Is called for each script before it runs; its result is the response instead. */
	let before: (script: string) => string | undefined;
	/** The same after it has run. */
	let after: (script: string) => string | undefined;

	const start = async (answer: Answer = () => undefined) => {
		memory = new MemoryRedis();
		[before, after] = [() => undefined, () => undefined];
		redis = await new ScriptedRedis((command, connection) => {
			const answered = answer(command, connection);
			if (answered !== undefined || command !== 'evalsha') return answered;
			const { args = [] } = redis.heard.at(-1) ?? {};
			const script = NAMES.get(args[0] ?? '') ?? '';
			const refused = before(script);
			if (refused !== undefined) return refused;
			const result = memory.evalsha(args);
			return after(script) ?? result;
		}).start();
		stopTheClock();
		return redis.open();
	};
	const openLedger = async (onLost?: () => void) =>
		new EventLedger({ store: await start(), onLost });
	/** The scripts that were sent. */
	const scripts = () =>
		redis.heard
			.filter(({ command }) => command === 'evalsha')
			.map(({ args }) => NAMES.get(args[0] ?? ''));
	/** Calls `then` once, with the nth script of this name. */
	const nth = (script: string, n: number, then: () => string | undefined) => {
		let times = 0;
		return (name: string) => (name === script && ++times === n ? then() : undefined);
	};
	const ended = async <T>(call: Promise<T>): Promise<T> => {
		let isOver = false;
		const over = () => {
			isOver = true;
		};
		call.then(over, over);
		await advanceUntil('the call to end', () => isOver);
		return await call;
	};

	afterEach(() => redis.stop());

	it('sends the hash of a script, and its text only to a Redis that does not know it', async () => {
		let answer = '-NOSCRIPT No matching script';
		const store = await start((command) => {
			if (command === 'eval') return '$-1';
			return command === 'evalsha' ? answer : undefined;
		});
		await store.readRecord('any');
		const [hash, text] = ['evalsha', 'eval'].map(
			(wanted) => redis.heard.find(({ command }) => command === wanted)?.args,
		);
		expect(hash?.[0]).toMatch(/^[\da-f]{40}$/);
		expect(text).toEqual([
			expect.stringContaining('redis.call'),
			'1',
			'asset-service:ledger:record:any',
			expect.stringMatching(/^\d+$/),
		]);
		answer = '-OOM command not allowed';
		await expect(store.readRecord('any')).rejects.toThrow(LedgerUnavailableError);
		expect([redis.count('evalsha'), redis.count('eval')]).toEqual([2, 1]);
	});

	it('needs one round trip for a claim, a commit, a release, an end and a duplicate, and two to begin', async () => {
		const ledger = await openLedger();
		const sent = async (call: () => Promise<unknown>) => {
			const from = scripts().length;
			await call();
			return scripts().slice(from);
		};
		const answers: Awaited<ReturnType<typeof ledger.claim>>[] = [];
		const claim = async () => {
			answers.push(await ledger.claim(KEY));
		};
		const claims = () => answers.slice(-1).flatMap((each) => ('claim' in each ? [each.claim] : []));
		expect(await sent(claim)).toEqual(['session', 'swap']);
		expect(await sent(() => ledger.release(claims()))).toEqual(['swap']);
		expect(await sent(claim)).toEqual(['swap']);
		expect(await sent(() => ledger.commit(claims(), RETENTION_MS))).toEqual(['swap']);
		expect(await sent(() => ledger.begin([KEY], BEGINNING))).toEqual(['read', 'swap']);
		expect(await sent(() => ledger.end('run', 'succeeded'))).toEqual(['swap']);
		expect(await sent(claim)).toEqual(['swap']);
		expect(answers.at(-1)).toEqual({ state: 'committed' });
	});

	it('claims once if the response to the claim is lost, and it is sent again', async () => {
		const ledger = await openLedger();
		after = nth('swap', 1, () => HANG_UP);
		expect(await ended(ledger.claim(KEY))).toMatchObject({ state: 'claimed' });
		expect(scripts()).toEqual(['session', 'swap', 'swap']);
	});

	it.each(['swap', 'read'])('begins once if the response to its %s is lost', async (script) => {
		const ledger = await openLedger();
		after = nth(script, 1, () => HANG_UP);
		expect(await ended(ledger.begin([KEY], BEGINNING))).toEqual([true]);
		const text = memory.texts.get(ENTRY);
		expect(await ledger.begin([KEY], BEGINNING)).toEqual([true]);
		expect(memory.texts.get(ENTRY)).toBe(text);
		expect(await ledger.look(KEY)).toMatchObject({ state: 'running', attempts: 1 });
	});

	it('applies a step again to an entry that another process changes in between', async () => {
		const ledger = await openLedger();
		await ledger.begin([KEY], BEGINNING);
		await ledger.end('run', 'failed');
		const failed = memory.texts.get(ENTRY) ?? '';
		memory.texts.delete(ENTRY);
		before = nth('swap', 1, () => {
			memory.texts.set(ENTRY, failed);
			return undefined;
		});
		expect(await ledger.begin([KEY], { ...BEGINNING, run: 'other' })).toEqual([false]);
		expect(memory.texts.get(ENTRY)).toBe(failed);
	});

	it('looks at the entry itself when what it last knew of it changes nothing', async () => {
		const ledger = await openLedger();
		const answer = await ledger.claim(KEY);
		if (answer.state !== 'claimed') throw new Error(answer.state);
		memory.texts.delete(ENTRY);
		await ledger.commit([answer.claim], RETENTION_MS);
		expect((await ledger.look(KEY)).state).toBe('stored');
	});

	describe('its session', () => {
		const names = () => [...memory.texts.keys()].filter((key) => key.includes(':session:'));
		const renewals = () => scripts().filter((script) => script === 'session').length;
		const untilRenewed = async () => {
			const count = renewals();
			await jest.advanceTimersByTimeAsync(20_000);
			await advanceUntil('a renewal', () => renewals() > count);
		};

		it('is opened once, renewed every 20 s, and closed with the ledger', async () => {
			const ledger = await openLedger();
			await Promise.all([ledger.look(KEY), ledger.look(KEY)]);
			expect(renewals()).toBe(1);
			for (let n = 0; n < 3; n++) await untilRenewed();
			expect(renewals()).toBe(4);
			expect(names().map((name) => memory.texts.get(name))).toEqual(['1alive']);
			await ended(ledger.close());
			expect(names().map((name) => memory.texts.get(name))).toEqual(['1closed']);
		});

		it('that Redis has lost between two renewals is noticed', async () => {
			let lost = 0;
			const ledger = await openLedger(() => {
				lost += 1;
			});
			await ledger.look(KEY);
			await untilRenewed();
			expect(lost).toBe(0);
			memory.texts.clear();
			await untilRenewed();
			await advanceUntil('the news', () => lost === 1);
			expect(names()).toHaveLength(1);
			await untilRenewed();
			await ended(ledger.close());
			expect(lost).toBe(1);
		});
	});
});
