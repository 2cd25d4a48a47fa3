/** How long the main thread works without a break. */

/** Looks at each turn of the event loop how much CPU the main thread has used: other processes do not count. Returns the most, in milliseconds. */
export function watchLoop(): () => number {
	let [longest, isOver] = [0, false];
	let last = process.threadCpuUsage();
	const look = () => {
		const { user, system } = process.threadCpuUsage(last);
		longest = Math.max(longest, (user + system) / 1_000);
		last = process.threadCpuUsage();
		if (!isOver) setImmediate(look);
	};
	setImmediate(look);
	return () => {
		isOver = true;
		return longest;
	};
}
