/** The fields that events have, and some of their values: the fields that a person can use in a condition. */
import { printable } from '../shared/text';
import { isRecord, textOf } from '../shared/values';

/** Far above the events of the service; they limit the cost of events from elsewhere. */
const MOST_FIELDS = 500;
const MOST_VISITED = 5_000;
const DEEPEST = 12;
const LONGEST_PATH = 100;
/** Limits per field. */
const MOST_VALUES = 5;
const LONGEST_VALUE = 40;

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
			if (text === undefined || values === undefined || values.size >= MOST_VALUES) return;
			values.add(printable(text, LONGEST_VALUE));
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
