import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEvent } from '../../../../lib/event';
import { SAMPLES_PAGE, sampleEvents, samplesPage } from '../../../../scripts/schemas/sampleEvents';

const page = readFileSync(join(__dirname, '../../../..', SAMPLES_PAGE), 'utf8');

it('is the page that the simulator gives (otherwise: npm run docs:schemas)', () => {
	expect(page).toBe(samplesPage());
});

it('has each sample as a list that can be pasted, of an event that a trigger accepts', () => {
	const blocks = [...page.matchAll(/```json\n([^`]*)```/g)].map(([, json = '']) => json);
	const pasted = blocks.flatMap((json) => JSON.parse(json) as unknown[]);
	expect(pasted).toEqual([...sampleEvents().values()]);
	for (const event of pasted) {
		expect(parseEvent(Buffer.from(JSON.stringify(event)), undefined)).toMatchObject({ ok: true });
	}
});
