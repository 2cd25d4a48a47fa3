/** Plays an interleaving against a store, and compares what the ledger says with the pure steps. */
import { type Claim, ledgerKey } from '../../../../lib/ledger';
import type { EventLedger } from '../../../../lib/ledger/eventLedger';
import type { Claimant } from '../../../../lib/ledger/life/steps';
import { type Action, type Beginning, KEYS, type Moment, PROCESSES } from './interleavings';
import { type Asked, claimInWords, explain, FREE, inWords, type Life, type Ran } from './life';
import { PAUSED_MS, type Process, Processes } from './processes';
import type { LedgerWorld } from './world';

/** Less than what a retention has left when it ends, so that expired entries stay expired. */
const SET_BACK_MS = 4_000;

interface Held {
	readonly key: number;
	readonly claim: Claim;
	readonly claimant: Claimant;
}

interface Run extends Beginning {
	readonly run: string;
	readonly actor: Actor;
}

interface Actor {
	readonly process: Process;
	/** The name of its session here. */
	session: string;
}

/** What was asked about the events, with an answer for each. */
interface Told {
	readonly keys: readonly number[];
	readonly asked: Asked;
	readonly answers?: readonly string[];
}

/** Throws if no order of the actions of a moment explains the answers. Counts the answers in `seen`. */
export class Play {
	readonly #processes: Processes;
	readonly #actors: Actor[] = [];
	/** By key, what may have become of the event. */
	readonly #lives: Life[][] = Array.from({ length: KEYS }, () => [FREE]);
	readonly #living = new Set<string>();
	#claims: Held[] = [];
	#runs: Run[] = [];
	#count = 0;
	/** Like the clock of a store, never 0. */
	#now = 1_000_000_000_000;
	#behindMs = 0;

	/** `name` keeps the events of this play apart from those of others in the same store. */
	constructor(
		private readonly world: LedgerWorld,
		private readonly name: string,
		private readonly seen: Map<string, number>,
	) {
		this.#processes = new Processes(world);
	}

	async play(moments: readonly Moment[]): Promise<void> {
		for (let n = 0; n < PROCESSES; n++) this.#actors.push(await this.#start());
		const looks = Array.from({ length: KEYS }, (_unused, key) => {
			return { kind: 'look', process: 0, key } as const;
		});
		for (const moment of moments) {
			await this.#live(moment);
			await this.#act(looks);
		}
		// The next play finds the clock where it left it, as time went by.
		if (this.#behindMs > 0) await this.#pass(0);
	}

	async close(): Promise<void> {
		await this.#processes.close();
	}

	async #live(moment: Moment): Promise<void> {
		if (moment.kind === 'actions') await this.#act(moment.actions);
		else if (moment.kind === 'pass') await this.#pass(moment.ms);
		else if (moment.kind === 'setBack') this.#setBack();
		else if (moment.kind === 'stop') await this.#stop(this.#actor(moment.process));
		else if (moment.kind === 'die') {
			const dead = this.#actor(moment.process);
			await this.#pause(dead);
			this.#claims = this.#claims.filter(({ claimant }) => claimant.session !== dead.session);
			this.#runs = this.#runs.filter(({ actor }) => actor !== dead);
			this.#actors[moment.process] = await this.#start();
		} else {
			const paused = this.#actor(moment.process);
			await this.#pause(paused);
			await this.#act(moment.actions, paused);
			await this.#processes.resume(paused.process);
			this.#living.add(paused.session);
		}
	}

	async #start(): Promise<Actor> {
		return { process: await this.#processes.start(), session: this.#newSession() };
	}

	#newSession(): string {
		const name = `session ${++this.#count}`;
		this.#living.add(name);
		return name;
	}

	/** A clock that was set back is right again afterwards. */
	async #pass(ms: number): Promise<void> {
		await this.#processes.pass(ms + this.#behindMs);
		this.#now += ms + this.#behindMs;
		this.#behindMs = 0;
	}

	#setBack(): void {
		if (!this.world.setBack || this.#behindMs > 0) return;
		this.#behindMs = SET_BACK_MS;
		this.world.setBack(SET_BACK_MS);
		this.#now -= SET_BACK_MS;
	}

	async #pause({ process, session }: Actor): Promise<void> {
		await this.#processes.pause(process);
		this.#now += PAUSED_MS;
		this.#living.delete(session);
	}

	/** It stops in order, and continues with its claims under another name; not while it runs executions. */
	async #stop(actor: Actor): Promise<void> {
		const { process } = actor;
		const isRunning = process.ledger.isRunning;
		await process.ledger.close();
		if (isRunning) return;
		this.#living.delete(actor.session);
		actor.session = this.#newSession();
		await this.#processes.resume(process);
	}

	/** All at the same time. `paused` does nothing. */
	async #act(actions: readonly Action[], paused?: Actor): Promise<void> {
		const runs = new Set<Run>();
		const acting = actions.map(async (action): Promise<(Ran & { readonly key: number })[]> => {
			const run = 'ofRun' in action ? this.#runs[action.ofRun] : undefined;
			const actor = run?.actor ?? this.#actor(action.process);
			// An attempt does one thing at a time.
			const isBusy = run !== undefined && runs.has(run);
			if (run !== undefined) runs.add(run);
			if (isBusy || actor === paused) return [];
			const { session } = actor;
			const isDead = (holder: string) => holder !== session && !this.#living.has(holder);
			const told = await this.#tell(action, actor, run);
			const { keys, asked, answers } = told ?? { keys: [], asked: { kind: 'look' } };
			return keys.map((key, n) => ({ key, asked, answer: answers?.[n] ?? '', isDead }));
		});
		const ran = (await Promise.all(acting)).flat();
		for (const { asked, answer } of ran) {
			const isPlain = asked.kind === 'reopen' || answer === '';
			const told = isPlain ? asked.kind : `${asked.kind}: ${answer.replace(/,.*/, '')}`;
			this.seen.set(told, (this.seen.get(told) ?? 0) + 1);
		}
		for (const [key, lives] of this.#lives.entries()) {
			const ofKey = ran.filter((each) => each.key === key);
			const explained = explain(lives, ofKey, this.#now);
			if (explained.length === 0) {
				const [what, from] = [ofKey, lives].map((each) => JSON.stringify(each));
				throw new Error(`No order of ${what} at ${this.#now} explains the answers, from ${from}`);
			}
			this.#lives[key] = explained;
		}
	}

	async #tell(action: Action, actor: Actor, run: Run | undefined): Promise<Told | undefined> {
		const { ledger } = actor.process;
		if ('ofRun' in action) return run && (await this.#tellOfRun(action, run));
		if ('ofClaim' in action) {
			const held = this.#claims[action.ofClaim];
			return held && (await tellOfClaim(action, held, ledger));
		}
		if (action.kind === 'begin') {
			const begun = { ...action, actor, run: `run ${++this.#count}` };
			this.#runs.unshift(begun);
			return await this.#begin(begun);
		}
		if (action.kind === 'reopen') {
			const { keys, retentionMs: keepMs } = action;
			// Two replays of the same moment count as one.
			const at = ++this.#count;
			const before = await ledger.reopen(this.#named(keys), at, keepMs);
			return { keys, asked: { kind: 'reopen', at, keepMs }, answers: before.map(inWords) };
		}
		const { key, kind } = action;
		const [name = ''] = this.#named([key]);
		if (kind === 'look') {
			return { keys: [key], asked: { kind }, answers: [inWords(await ledger.look(name))] };
		}
		const claimant = { session: actor.session, number: ++this.#count };
		const answer = await ledger.claim(name);
		if (answer.state === 'claimed') this.#claims.unshift({ key, claim: answer.claim, claimant });
		return { keys: [key], asked: { kind, claimant }, answers: [claimInWords(answer)] };
	}

	async #tellOfRun(action: Extract<Action, { readonly ofRun: number }>, run: Run): Promise<Told> {
		const { keys, actor, retentionMs: keepMs } = run;
		const { ledger } = actor.process;
		if (action.kind === 'beginAgain') return await this.#begin(run);
		if (action.kind === 'giveBack') {
			const { kind, isRunningOnly } = action;
			const answers = await ledger.giveBack(this.#named(keys), run.run, isRunningOnly);
			return { keys, asked: { kind, run: run.run, isRunningOnly }, answers: answers.map(String) };
		}
		const { kind, outcome } = action;
		await ledger.end(run.run, outcome);
		const repeats = run.acknowledge === 'succeeded';
		return { keys, asked: { kind, run: run.run, outcome, repeats, keepMs } };
	}

	async #begin({ keys, actor, ...begun }: Run): Promise<Told> {
		const continues = await actor.process.ledger.begin(this.#named(keys), begun);
		const { acknowledge, retentionMs: keepMs, ...rest } = begun;
		const attempt = { ...rest, session: actor.session, repeats: acknowledge === 'succeeded' };
		return { keys, asked: { kind: 'begin', attempt, keepMs }, answers: continues.map(String) };
	}

	#named(keys: readonly number[]): string[] {
		return keys.map((key) => ledgerKey(this.name, String(key)));
	}

	#actor(n: number): Actor {
		const actor = this.#actors[n];
		if (!actor) throw new Error(`There is no process ${n}`);
		return actor;
	}
}

async function tellOfClaim(
	action: Extract<Action, { readonly ofClaim: number }>,
	{ key, claim, claimant }: Held,
	ledger: EventLedger,
): Promise<Told> {
	if (action.kind === 'release') {
		await ledger.release([claim]);
		return { keys: [key], asked: { kind: 'release', claimant } };
	}
	const { kind, retentionMs: keepMs } = action;
	await ledger.commit([claim], keepMs);
	return { keys: [key], asked: { kind, claimant, keepMs } };
}
