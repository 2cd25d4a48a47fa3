/** Lines of progress from work that takes a while. */
export type Log = (line: string) => void;

export const silent: Log = () => {
	// No progress wanted.
};
