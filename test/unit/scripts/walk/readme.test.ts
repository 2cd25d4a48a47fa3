/** What the walk takes from the README is there. */
import { installCommands, readingSeconds } from '../../../../scripts/walk/readme';

it('the section Install has the commands, and both sections take less than a minute to read', () => {
	expect(installCommands().trim().split('\n')).toEqual([
		expect.stringMatching(/^npm pack /),
		expect.stringMatching(/^npm install --prefix ~\/\.n8n\/nodes .*\.tgz$/),
	]);
	expect(readingSeconds()).toBeGreaterThan(10);
	expect(readingSeconds()).toBeLessThan(60);
});
