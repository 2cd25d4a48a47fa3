/** Faults in the life of an entry, in sessions, and in what is written when. */
import { type Fault, fault } from './fault';

const CLAIMS = 'lib/ledger/life/steps.ts';
const EXECUTIONS = 'lib/ledger/life/steps.ts';
const STATES = 'lib/ledger/life/states.ts';
const LEDGER_FILE = 'lib/ledger/eventLedger.ts';
const WRITES = 'lib/ledger/untilWritten.ts';

export const LEDGER: readonly Fault[] = [
	fault(
		'a claim takes what a living process holds',
		CLAIMS,
		"if (isHeld) return { result: { state: 'pending' } };",
		'if (isHeld) return { result: claimed(left), next: { ...left, ...mine, before: left.kind } };',
	),
	fault(
		'an execution begins what is running',
		EXECUTIONS,
		'if (!isFirst && !isAgain && !isForced) return',
		"if (!isFirst && !isAgain && !isForced && state !== 'running') return",
	),
	fault(
		'a commit stores what is running',
		CLAIMS,
		"if (!isPending && state !== 'free' && !isLapsed) return",
		"if (!isPending && state !== 'free' && !isLapsed && state !== 'running') return",
	),
	fault(
		'a release ends the claim of another',
		CLAIMS,
		'if (!isTheirs(entry, claimant)) return { result: undefined };\n\tif (entry.kind',
		'if (entry === undefined) return { result: undefined };\n\tif (entry.kind',
	),
	fault(
		'a lost execution is waited for without end',
		STATES,
		'return at === 0 || Math.abs(now - at) >= grace;',
		'return at === 0 || Math.abs(now - at) >= grace * 1e6;',
	),
	fault(
		'an execution that could not begin forgets that it was a replay',
		EXECUTIONS,
		'\t\t\treopenings,\n\t\t\treopenedAt,',
		'\t\t\treopenings,',
	),
	fault(
		'a ledger that has lost its data says that an execution has begun',
		LEDGER_FILE,
		'entry === undefined ||',
		'entry !== undefined &&',
	),
	fault(
		'a failed event is due at once',
		STATES,
		'return Math.min(afterMs, Math.max(0, left.at + afterMs - moment.now));',
		'return 0 * (left.at + afterMs - moment.now);',
	),
	fault(
		'a poll repeats without limit',
		STATES,
		'export const MOST_ATTEMPTS = DUE_AFTER_MS.length + 1;',
		'export const MOST_ATTEMPTS = Infinity;',
	),
	fault(
		'a failed event starts again with Do Not Start Again',
		STATES,
		'if (!left?.repeats || !ENDED_BADLY.has(left.kind)) return undefined;',
		'if (left === undefined || !ENDED_BADLY.has(left.kind)) return undefined;',
	),
	fault(
		'giving back ends what others have begun or claimed',
		EXECUTIONS,
		"if (entry?.kind === 'stored') return { result: true, next: { ...entry, at: 0 } };",
		"if (entry !== undefined) return { result: true, next: { ...entry, kind: 'stored', at: 0 } };",
	),
	fault(
		'a failure undoes a success',
		EXECUTIONS,
		'if (left.run !== run || !isOpen) return { result: undefined };',
		"if (!isOpen && left.kind !== 'done') return { result: undefined };",
	),
	fault(
		'the session of a dead process never lapses',
		'lib/ledger/sqlite/ledgerFile.ts',
		"return age >= 0 && age < SESSION_MS ? 'alive' : 'gone';",
		"return age >= 0 ? 'alive' : 'gone';",
	),
	fault(
		'a session that is young calls others dead',
		'lib/ledger/session.ts',
		'return now - this.#renewedAt < SESSION_MS && now - this.#since >= SESSION_MS;',
		'return now - this.#renewedAt < SESSION_MS;',
	),
	fault(
		'a process that ends closes its session while it runs executions',
		LEDGER_FILE,
		'if (!this.isRunning) await this.#session.close();',
		'await this.#session.close();',
	),
	fault(
		'a beginning is not synced',
		LEDGER_FILE,
		"result: { continues: result, wasFree: stateOf(entry, moment) === 'free' },\n\t\t\t\t\t};\n\t\t\t\t},\n\t\t\t\t{ keepMs: retentionMs, isDurable: true },",
		"result: { continues: result, wasFree: stateOf(entry, moment) === 'free' },\n\t\t\t\t\t};\n\t\t\t\t},\n\t\t\t\t{ keepMs: retentionMs, isDurable: false },",
	),
	fault(
		'an attempt has the name of its execution',
		EXECUTIONS,
		"return `${executionId}:${now.toString(36)}:${randomBytes(8).toString('base64url')}`;",
		"return `${executionId}:${(0 * now).toString(36)}:${randomBytes(0).toString('base64url')}`;",
	),
	fault(
		'what the ledger could not write is not tried again',
		WRITES,
		'if (!isTrying) void tryAll();',
		'resolve(); void tryAll;',
	),
	fault(
		'a commit that fails is an unhandled rejection',
		WRITES,
		'await withinLimit(untilWritten(() => ledger.commit(claims, retentionMs)));',
		'const first = ledger.commit(claims, retentionMs);\n\tawait withinLimit(untilWritten(() => ledger.commit(claims, retentionMs)));\n\tvoid first;',
	),
	fault(
		'a failed beginning is given back from its new holder',
		WRITES,
		'await untilWritten(() => write(true));',
		'await sleep(60_000, { keepAlive: false });\n\tawait untilWritten(() => write(false));',
	),
	fault(
		'a beginning that failed is kept',
		WRITES,
		'for (const key of keys) void giveBack(openLedger, key, beginning.run);',
		'void giveBack;',
	),
];
