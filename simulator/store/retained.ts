/** Keeps records in the order of arrival for as long as the service retains them. */

/** 30 days: specification section 8. */
export const RETENTION_MS = 30 * 86_400_000;

export class Retained<T extends { readonly id: string; readonly createdAt: string }> {
	private readonly records = new Map<string, T>();

	constructor(private readonly now: () => number) {}

	add(record: T): void {
		this.dropOld();
		this.records.set(record.id, record);
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

	private dropOld(): void {
		const oldest = this.now() - RETENTION_MS;
		for (const [id, { createdAt }] of this.records) {
			if (Date.parse(createdAt) >= oldest) return;
			this.records.delete(id);
		}
	}
}
