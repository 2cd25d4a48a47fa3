/** Every folder of the code is in one area of the mutation test, with tests. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AREAS, present } from '../../../../scripts/mutation/areas';

const ROOT = join(__dirname, '../../../..');
/** Only imports what is not ours. */
const WITHOUT_TESTS = 'lib/vendor';

const rooms = readdirSync(join(ROOT, 'lib')).map((name) => `lib/${name}`);
const folders = [...rooms, 'n8n', 'nodes', 'credentials'].filter((each) => each !== WITHOUT_TESTS);

it.each(folders)('%s is in one area', (folder) => {
	const areas = Object.values(AREAS).filter(({ mutate }) => mutate.includes(folder));
	expect(areas).toHaveLength(1);
});

it.each(Object.entries(AREAS).filter(([, { mutate }]) => present(mutate).length > 0))(
	'the area %s has tests',
	(_name, { tests }) => {
		const files = present(tests).flatMap((folder) =>
			readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }),
		);
		expect(files.filter((file) => file.endsWith('.test.ts'))).not.toEqual([]);
	},
);

it('leaves out folders that are not there', () => {
	expect(present(['lib/station', 'lib/of-tomorrow'])).toEqual(['lib/station']);
	expect(existsSync(join(ROOT, 'lib/of-tomorrow'))).toBe(false);
});
