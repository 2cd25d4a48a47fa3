/** Lines of progress for people, from work that takes a while. */
export type Log = (line: string) => void;

export const silent: Log = () => {
	// Nobody asked for progress.
};
