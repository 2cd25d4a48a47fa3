/**
 * The clock of a simulation and the order of everything in it: a queue of tasks by time. Nothing waits for real time.
 *
 * Facts: a task runs to its end, with all promise reactions that it causes, before the next one begins. A process that is
 * killed runs nothing more; one that is paused runs what was due when it continues, in order.
 */

/** What a task belongs to. */
export interface Owner {
	/** False once it was killed or has exited. */
	isAlive: boolean;
	/** Its tasks that became due while it was paused; undefined unless it is paused. */
	held: Task[] | undefined;
}

export interface Task {
	at: number;
	order: number;
	readonly owner: Owner | undefined;
	readonly run: () => void;
	isCancelled: boolean;
}

/** Between two of them, Node runs all promise reactions. It looks for work of the system only after all of them, which takes longer. */
const TURNS_AT_ONCE = 100;
let turnsSet = 0;
let endTurn: () => void;

/** A real one: all promise reactions have run when it is over. */
const turn = () =>
	new Promise<void>((resolve) => {
		endTurn = resolve;
		if (turnsSet > 0) return;
		for (; turnsSet < TURNS_AT_ONCE; turnsSet += 1) {
			setImmediate(() => {
				turnsSet -= 1;
				endTurn();
			});
		}
	});

export class Clock {
	/** Unix milliseconds. */
	now: number;
	#order = 0;
	/** A binary heap. */
	readonly #tasks: Task[] = [];
	#work: Promise<void> | undefined;

	constructor(now: number) {
		this.now = now;
	}

	after(ms: number, run: () => void, owner?: Owner): Task {
		const task = {
			...{ at: this.now + Math.max(0, Math.ceil(ms)), order: ++this.#order },
			...{ owner, run, isCancelled: false },
		};
		this.#push(task);
		return task;
	}

	/** No time passes until this has been done, after what was held before: work of a real server. */
	hold(work: () => Promise<void>): void {
		this.#work = (this.#work ?? Promise.resolve()).then(work);
	}

	/** Runs the tasks up to this time. Rejects with the error of what it was held for. */
	async runUntil(end: number): Promise<void> {
		for (let task = this.#tasks[0]; task && task.at <= end; task = this.#tasks[0]) {
			this.#pop();
			const { owner } = task;
			if (task.isCancelled || owner?.isAlive === false) continue;
			this.now = task.at;
			if (owner?.held !== undefined) {
				owner.held.push(task);
				continue;
			}
			task.run();
			await turn();
			while (this.#work !== undefined) {
				const work = this.#work;
				await work;
				if (work === this.#work) this.#work = undefined;
				await turn();
			}
		}
		this.now = end;
	}

	/** Runs as long as it has to, but no longer than `ms`. */
	async runWhile(isOpen: () => boolean, ms: number): Promise<void> {
		for (const end = this.now + ms; isOpen() && this.now < end;) await this.runUntil(this.now + 20);
	}

	pause(owner: Owner): void {
		owner.held ??= [];
	}

	resume(owner: Owner): void {
		const held = owner.held ?? [];
		owner.held = undefined;
		for (const task of held) {
			task.at = this.now;
			task.order = ++this.#order;
			this.#push(task);
		}
	}

	#push(task: Task): void {
		const heap = this.#tasks;
		let index = heap.push(task) - 1;
		while (index > 0) {
			const parent = (index - 1) >> 1;
			const above = heap[parent];
			if (above === undefined || !isBefore(task, above)) break;
			heap[index] = above;
			index = parent;
		}
		heap[index] = task;
	}

	#pop(): void {
		const heap = this.#tasks;
		const last = heap.pop();
		if (last === undefined || heap.length === 0) return;
		let index = 0;
		for (;;) {
			let child = 2 * index + 1;
			const [left, right] = [heap[child], heap[child + 1]];
			if (left === undefined) break;
			let below = left;
			if (right !== undefined && isBefore(right, left)) {
				child += 1;
				below = right;
			}
			if (!isBefore(below, last)) break;
			heap[index] = below;
			index = child;
		}
		heap[index] = last;
	}
}

function isBefore(a: Task, b: Task): boolean {
	return a.at < b.at || (a.at === b.at && a.order < b.order);
}
