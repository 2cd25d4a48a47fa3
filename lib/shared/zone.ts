/** Times of day in a time zone. */

/** The instant at which clocks of the zone show this time, which is given as if it were UTC. In Unix milliseconds. */
export function inZone(shown: number, timeZone: string): number {
	// Twice, for the hours around a clock change.
	const near = shown - offsetMs(shown, timeZone);
	return shown - offsetMs(near, timeZone);
}

/** How far the time zone is ahead of UTC at this time, in milliseconds. */
export function offsetMs(time: number, timeZone: string): number {
	const shown = new Date(time).toLocaleString('sv-SE', { timeZone });
	return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000;
}
