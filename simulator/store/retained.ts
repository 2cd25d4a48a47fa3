/** Keeps records in the order of their creation for as long as the service retains them. */

/** 30 days: specification section 8. */
export const RETENTION_MS = 30 * 86_400_000;

export class Retained<T extends { readonly id: string; readonly createdAt: string }> {
	private readonly records = new Map<string, T>();
	private newest = -Infinity;

	constructor(private readonly now: () => number) {}

	add(record: T): void {
		this.dropOld();
		this.records.set(record.id, record);
		const madeAt = Date.parse(record.createdAt);
		if (madeAt < this.newest) this.sort();
		else this.newest = madeAt;
	}

	get(id: string): T | undefined {
		this.dropOld();
		return this.records.get(id);
	}

	/** Oldest first. */
	all(): T[] {
		this.dropOld();
		return [...this.records.values()];
	}

	private sort(): void {
		const sorted = this.all().sort(
			(one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt),
		);
		this.records.clear();
		for (const record of sorted) this.records.set(record.id, record);
	}

	private dropOld(): void {
		const oldest = this.now() - RETENTION_MS;
		for (const [id, { createdAt }] of this.records) {
			if (Date.parse(createdAt) >= oldest) return;
			this.records.delete(id);
		}
	}
}
