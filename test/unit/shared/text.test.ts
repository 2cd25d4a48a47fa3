import { printable } from '../../../lib/shared/text';

describe('printable', () => {
	it.each(['', 'we_1', 'Größe 大 🚀', '<b>"quoted" \\n</b>'])('leaves %p as it is', (text) => {
		expect(printable(text)).toBe(text);
	});

	it.each([
		['new lines', 'a\r\nb', 'a\ufffdb'],
		['terminal escapes', '\u001b[2Ja\u009b1m', '\ufffd[2Ja\ufffd1m'],
		['separators of lines', 'a\u2028b\u2029', 'a\ufffdb\ufffd'],
		['changes of direction', 'a\u202eb', 'a\ufffdb'],
		['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
	])('shows one sign for %s', (_name, text, shown) => {
		expect(printable(text)).toBe(shown);
	});

	it('cuts long text, also in the middle of a pair', () => {
		expect(printable('x'.repeat(5_000_000))).toBe(`${'x'.repeat(199)}…`);
		expect(printable('🚀🚀', 4)).toBe('🚀🚀');
		expect(printable('🚀🚀🚀', 4)).toBe('🚀\ufffd…');
	});
});
