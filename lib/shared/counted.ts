/** A number with its noun, such as `1 event` or `1,200 events`. */
export function counted(count: number, noun: string): string {
	return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
