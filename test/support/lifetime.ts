/** Starts what the tests of a file or of a `describe` share, and always ends it after them. */

/** The first of these methods that an object has ends it. */
const ENDINGS = ['dispose', 'remove', 'close', 'stop'] as const;
type Endable = Partial<Record<(typeof ENDINGS)[number], () => unknown>>;

/** The first n8n on a machine takes minutes to install. */
const START_MS = 25 * 60_000;
const END_MS = 60_000;

/** Starts it before the first test. Returns a stand-in for it that can be used from then on. */
export function useForAll<T extends Endable>(start: () => T | Promise<T>): T {
	return use(start, beforeAll, afterAll);
}

/** Like `useForAll`, with a new one for each test. */
export function useForEach<T extends Endable>(start: () => T | Promise<T>): T {
	return use(start, beforeEach, afterEach);
}

/** Returns a function that registers what a test has started. All of it ends with the test, newest first. */
export function endAfterEach(): <T extends Endable>(started: T) => T {
	return endAfter(afterEach);
}

/** Like `endAfterEach`, for tests that run at the same time: it ends after all of them. */
export function endAfterAll(): <T extends Endable>(started: T) => T {
	return endAfter(afterAll);
}

function endAfter(after: typeof afterAll): <T extends Endable>(started: T) => T {
	const noted: Endable[] = [];
	after(async () => {
		for (const each of noted.splice(0).reverse()) await end(each);
	}, END_MS);
	return (started) => {
		noted.push(started);
		return started;
	};
}

function use<T extends Endable>(
	start: () => T | Promise<T>,
	before: typeof beforeAll,
	after: typeof afterAll,
): T {
	let current: T | undefined;
	before(async () => {
		current = await start();
	}, START_MS);
	after(async () => {
		if (current) await end(current);
	}, END_MS);
	return new Proxy({} as T, {
		get(_target, key) {
			if (!current) throw new Error(`${String(key)} was asked for before the first test.`);
			const value: unknown = Reflect.get(current, key);
			return typeof value === 'function' ? (value.bind(current) as unknown) : value;
		},
	});
}

async function end(each: Endable): Promise<void> {
	const ending = ENDINGS.find((name) => each[name]);
	if (ending) await each[ending]?.();
}
