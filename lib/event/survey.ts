/** Inspects events for a person who asks why they start nothing: how many, the nearest miss, and fields that no event has. */
import { counted, withoutTags, printable } from '../shared/text';
import { textOf, isRecord } from '../shared/values';
import type { Condition } from './conditions';
import type { ParsedEvent } from './event';
import type { Wanted } from './wanted';

/** More events are unlikely to have other fields. */
const MOST_READ_FOR_FIELDS = 1_000;
/** The longest value shown. */
const LONGEST_VALUE = 50;
const MOST_VALUES = 3;

export class Survey {
	/** How many events were inspected, and how many of them are not wanted. */
	inspected = 0;
	ignored = 0;
	/**
	 * The nearest miss: what the event that came closest to being wanted lacked, with the value that did not match. For
	 * the person who tests the node, never for a log.
	 */
	nearest: string | undefined;
	#nearness = -1;
	#ofWantedType = 0;
	readonly #fields = new Fields();
	/** The conditions whose field no event has had so far. */
	readonly #withoutField: Set<Condition>;
	/** The conditions that no event has met so far, each with a value that differs only in case, if there was one. */
	readonly #unmet: Map<Condition, unknown>;

	constructor(private readonly wanted: Wanted) {
		this.#withoutField = new Set(wanted.conditions.all);
		this.#unmet = new Map(wanted.conditions.all.map((condition) => [condition, undefined]));
	}

	/** Whether the event is wanted. */
	readonly inspect = ({ type, record }: ParsedEvent): boolean => {
		const { isWantedType, conditions } = this.wanted;
		this.inspected += 1;
		if (!isWantedType(type)) {
			this.#missed(0, () => `type ${shown(type)} is not among 'Trigger On'`);
			return false;
		}
		this.#ofWantedType += 1;
		if (this.#ofWantedType <= MOST_READ_FOR_FIELDS) this.#fields.add(record);
		for (const condition of this.#withoutField) {
			const isThere = condition.valuesIn(record).some((value) => value !== undefined);
			if (isThere) this.#withoutField.delete(condition);
		}
		const unmet = conditions.all.filter(({ isMet }) => !isMet(record));
		this.#note(record, unmet);
		const [first] = unmet;
		if (first === undefined) return true;
		const values = first.valuesIn(record).filter((value) => value !== undefined);
		const met = conditions.all.length - unmet.length;
		const closeness = values.some(first.differsInCase) ? 2 : Math.sign(values.length);
		this.#missed(1 + 3 * met + closeness, () => missOf(first, values));
		return false;
	};

	/** A sentence for each condition whose field no event has: the path is probably misspelled. */
	get missing(): string[] {
		const count = this.#ofWantedType;
		if (count === 0) return [];
		const kind = count < this.inspected ? ' of a wanted type' : '';
		const [none, one] = [
			`None of ${count.toLocaleString('en')} events`,
			`The${kind && ' 1'} event`,
		];
		const subject = count === 1 ? `${one}${kind} has no` : `${none}${kind} has a`;
		return [...this.#withoutField].flatMap(({ field, operator }) => {
			const meant = this.#fields.like(field);
			if (meant === undefined && operator === 'notExists') return [];
			const question = meant === undefined ? '' : ` Did you mean '${withoutTags(meant, 100)}'?`;
			return [`${subject} field '${withoutTags(field, 100)}'.${question}`];
		});
	}

	/**
	 * Sentences about a filter that may be wrong, since it matches nothing: no event has a wanted type, or none has the field of a
	 * condition, or meets it, or meets all of them.
	 */
	get doubts(): string[] {
		const count = this.#ofWantedType;
		if (this.inspected === 0) return [];
		if (count === 0) {
			const none = `None of ${counted(this.inspected, 'listed event')} has`;
			const subject = this.inspected === 1 ? 'The only listed event does not have' : none;
			return [`${subject} one of the event types.`];
		}
		const unmet = [...this.#unmet].flatMap(([condition, value]) => {
			if (this.#withoutField.has(condition)) return [];
			const close = value === undefined ? '' : ` Case matters: one of them has ${shown(value)}.`;
			return [`No listed event meets the condition '${withoutTags(condition.text)}'.${close}`];
		});
		const all = [...this.missing, ...unmet];
		const isAnyWanted = this.ignored < this.inspected;
		return all.length > 0 || isAnyWanted ? all : ['No listed event meets all conditions.'];
	}

	/** The whole result in sentences. */
	get why(): string {
		const nearest = this.nearest === undefined ? [] : [`Nearest: ${this.nearest}.`];
		return [...nearest, ...this.missing].join(' ');
	}

	/** Takes the conditions that the event meets from those that none has met. */
	#note(record: ParsedEvent['record'], unmet: readonly Condition[]): void {
		for (const [condition, close] of this.#unmet) {
			if (!unmet.includes(condition)) this.#unmet.delete(condition);
			else if (close === undefined) {
				this.#unmet.set(condition, condition.valuesIn(record).find(condition.differsInCase));
			}
		}
	}

	#missed(nearness: number, miss: () => string): void {
		this.ignored += 1;
		if (nearness <= this.#nearness) return;
		this.#nearness = nearness;
		this.nearest = miss();
	}
}

function missOf({ text, differsInCase }: Condition, values: readonly unknown[]): string {
	if (values.length === 0) return `condition '${text}' found no value`;
	const close = values.find(differsInCase);
	if (close !== undefined) return `condition '${text}' did not match ${shown(close)}: case matters`;
	const first = values.slice(0, MOST_VALUES).map(shown);
	const last = values.length > MOST_VALUES ? 'others' : first.pop();
	const all = first.length === 0 ? last : `${first.join(', ')} or ${last}`;
	return `condition '${text}' did not match ${all}`;
}

function shown(value: unknown): string {
	const text = textOf(value);
	if (text !== undefined) return `'${withoutTags(text, LONGEST_VALUE)}'`;
	return value === null ? 'null' : 'an object';
}

/** Far above the events of the service; they limit the cost of events from elsewhere. */
const MOST_FIELDS = 500;
const MOST_VISITED = 5_000;
const DEEPEST = 12;
const LONGEST_PATH = 100;
/** Limits per field. */
const MOST_KEPT = 5;
const LONGEST_KEPT = 40;

export class Fields {
	/** By path. A path through a list is the same for all of its elements. */
	readonly #values = new Map<string, Set<string>>();

	add(record: Readonly<Record<string, unknown>>): void {
		let left = MOST_VISITED;
		const visit = (value: unknown, path: string, depth: number): void => {
			if (--left < 0 || depth > DEEPEST) return;
			if (Array.isArray(value)) {
				for (const element of value.slice(0, left)) visit(element, path, depth + 1);
				return;
			}
			const values = path === '' ? undefined : this.#valuesAt(path);
			if (isRecord(value)) {
				for (const name of Object.keys(value).slice(0, left)) {
					const inside = path === '' ? name : `${path}.${name}`;
					const canBeNamed = name !== '' && !name.includes('.') && inside.length <= LONGEST_PATH;
					if (canBeNamed) visit(value[name], inside, depth + 1);
				}
				return;
			}
			const text = textOf(value);
			if (text === undefined || values === undefined || values.size >= MOST_KEPT) return;
			values.add(printable(text, LONGEST_KEPT));
		};
		visit(record, '', 0);
	}

	/** By path; fields that hold only other fields are left out. */
	get withValues(): { path: string; values: string[] }[] {
		const fields = [...this.#values].map(([path, values]) => ({ path, values: [...values] }));
		return fields
			.filter(({ values }) => values.length > 0)
			.sort((a, b) => (a.path < b.path ? -1 : 1));
	}

	/**
	 * The field that a person probably meant by a path that does not exist. The path may lack its first names, since a
	 * person reads the last ones in the output, and may contain typing errors.
	 */
	like(path: string): string | undefined {
		if (path.length > LONGEST_PATH) return undefined;
		const wanted = path.toLowerCase();
		const names = wanted.split('.');
		let most = Math.max(1, Math.floor(path.slice(path.lastIndexOf('.') + 1).length / 3));
		let meant: string | undefined;
		for (const known of this.#values.keys()) {
			const end = known.toLowerCase().split('.').slice(-names.length).join('.');
			if (Math.abs(end.length - wanted.length) > most) continue;
			const errors = distance(wanted, end);
			if (errors > most) continue;
			meant = known;
			most = errors - 1;
		}
		return meant;
	}

	#valuesAt(path: string): Set<string> | undefined {
		const known = this.#values.get(path);
		if (known !== undefined || this.#values.size >= MOST_FIELDS) return known;
		const values = new Set<string>();
		this.#values.set(path, values);
		return values;
	}
}

/** Number of characters to insert, delete or replace (Levenshtein). Takes the product of both lengths, so both must be short. */
function distance(a: string, b: string): number {
	let above = Array.from({ length: b.length + 1 }, (_, n) => n);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let n = 1; n <= b.length; n++) {
			const replaced = (above[n - 1] ?? 0) + (a[row - 1] === b[n - 1] ? 0 : 1);
			current.push(Math.min(replaced, (above[n] ?? 0) + 1, (current[n - 1] ?? 0) + 1));
		}
		above = current;
	}
	return above[b.length] ?? 0;
}
