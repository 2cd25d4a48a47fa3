/** Inspects events for a person who asks why they start nothing: how many, the nearest miss, and fields that no event has. */
import { counted, withoutTags } from '../shared/text';
import { textOf } from '../shared/values';
import type { Condition } from './conditions';
import { Fields } from './fields';
import type { ParsedEvent } from './parseEvent';
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
