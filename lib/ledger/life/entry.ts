/** What the ledger keeps of an event, and its text in a store. */
import { contentOf, type Format, numbered } from '../common/format';

const FORMAT: Format = { what: 'what is known of an event', number: 1 };

/** The kinds of an entry as written. `EntryState` adds what follows from the time and from the holder's session. */
const KINDS = {
	pending: 'p',
	stored: 's',
	begun: 'b',
	running: 'r',
	asleep: 'a',
	interrupted: 'i',
	failed: 'f',
	canceled: 'c',
	done: 'd',
} as const;

type EntryKind = keyof typeof KINDS;

/** Times are in Unix milliseconds on the clock of the store. */
export interface Entry {
	readonly kind: EntryKind;
	/** When it became this kind; when it began, if it was interrupted. 0 for a stored event that may start at once. */
	readonly at: number;
	/** How long a stored event waits for its execution to begin, in milliseconds; 0 until it is stored. */
	readonly grace: number;
	/** How many executions have begun it since it was last reopened. */
	readonly attempts: number;
	/** Whether it starts again after an execution that did not succeed: the setting of "If the Execution Fails" when it began. */
	readonly repeats: boolean;
	/** The session of the process that hands it over or runs it. */
	readonly holder?: string | undefined;
	/** With `holder`, names the claim. */
	readonly claim?: number | undefined;
	/** The kind before a claim; undefined if the event was free. */
	readonly before?: EntryKind | undefined;
	/** The latest attempt that began it. */
	readonly run?: string | undefined;
	/** How often a user has reopened it: an execution from before that no longer settles it. */
	readonly reopenings: number;
	/** When a user asked to run it again, until it succeeds. */
	readonly reopenedAt?: number | undefined;
}

const KIND_OF: ReadonlyMap<string, EntryKind> = new Map(
	Object.entries(KINDS).map(([kind, letter]) => [letter, kind as EntryKind]),
);
const SEPARATOR = '|';
const FIELDS = 9;
const HOLDER = 4;

const whole = (number: number | undefined) => (number ? number.toString(36) : '');

/** Short, because there may be ten million. The run is last: n8n chooses its form. */
export function encode(entry: Entry): string {
	const before = entry.before === undefined ? '' : KINDS[entry.before];
	const fields = [
		`${KINDS[entry.kind]}${before}${entry.repeats ? '+' : ''}`,
		whole(entry.at),
		whole(entry.grace),
		whole(entry.attempts),
		entry.holder ?? '',
		whole(entry.claim),
		whole(entry.reopenings),
		whole(entry.reopenedAt),
		entry.run ?? '',
	];
	return numbered(FORMAT, fields.join(SEPARATOR));
}

/** Undefined for a text in another form, which counts as no entry. Throws `LedgerUnavailableError` for another format. */
export function decode(text: string | undefined): Entry | undefined {
	if (text === undefined) return undefined;
	const [flags = '', at, grace, attempts, holder, claim, reopenings, reopenedAt, ...run] =
		contentOf(FORMAT, text).split(SEPARATOR);
	const kind = KIND_OF.get(flags.charAt(0));
	if (kind === undefined || run.length < 1) return undefined;
	return {
		kind,
		at: read(at),
		grace: read(grace),
		attempts: read(attempts),
		repeats: flags.endsWith('+'),
		holder: holder === '' ? undefined : holder,
		claim: claim === '' ? undefined : read(claim),
		before: KIND_OF.get(flags.charAt(1)),
		run: run.join(SEPARATOR) || undefined,
		reopenings: read(reopenings),
		reopenedAt: reopenedAt === '' ? undefined : read(reopenedAt),
	};
}

function read(text: string | undefined): number {
	return text ? Number.parseInt(text, 36) : 0;
}

const BEGINNING = numbered(FORMAT, '');

/** The session that decides what the entry is: that of a pending or running one. None for a text in another format. */
export function holderOf(text: string): string | undefined {
	if (!text.startsWith(BEGINNING)) return undefined;
	const kind = text.charAt(BEGINNING.length);
	if (kind !== KINDS.pending && kind !== KINDS.running) return undefined;
	return text.split(SEPARATOR, FIELDS)[HOLDER] || undefined;
}
