import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../../lib/service/defaults';
import { readBoundedBody } from '../../../lib/service/response';
import { closeAll, get, serve } from './servers';
import { rejection } from './world';

afterEach(closeAll);

const read = async (text: string) => {
	const chunks = async function* () {
		yield Buffer.from(text);
	};
	return await readBoundedBody(chunks(), {});
};
const nested = (depth: number, [open, close] = ['[', ']']) =>
	open.repeat(depth) + close.repeat(depth);

describe('the structure of a response', () => {
	it.each([
		['as deep as may be', nested(LIMITS.depth)],
		['wide', `[${nested(LIMITS.depth - 1)},${nested(LIMITS.depth - 1)}]`],
		['with brackets in its texts', JSON.stringify(['['.repeat(2 * LIMITS.depth)])],
		['with quotes in its texts', JSON.stringify(Array(LIMITS.depth).fill('\\"[[[\\\\"'))],
		['with a text that does not end', `["${'['.repeat(2 * LIMITS.depth)}`],
		['with as many values as may be', `[${'0,'.repeat(LIMITS.values - 2)}0]`],
	])('is accepted %s', async (_name, text) => {
		expect((await read(text)).length).toBe(text.length);
	});

	it.each([
		['lists', nested(LIMITS.depth + 1)],
		['objects', nested(LIMITS.depth + 1, ['{"a":', '}'])],
		[
			'levels behind a text that would close them',
			`["${']'.repeat(600)}",${nested(LIMITS.depth)}]`,
		],
		['levels behind an escaped quote', `["\\"",${nested(LIMITS.depth)}]`],
	])('is refused with too many levels of %s', async (_name, text) => {
		await expect(read(text)).rejects.toThrow('the response is nested more than 500 levels deep');
	});

	it('is refused with too many values', async () => {
		await expect(read(`[${'{},'.repeat(LIMITS.values / 2)}0]`)).rejects.toThrow(
			'the response contains more than 4 million values',
		);
	});

	it('is looked at after the answer was unpacked, and said to be no passing fault', async () => {
		const service = await serve((_request, { response }) => {
			response.setHeader('content-encoding', 'gzip').end(gzipSync(nested(100_000)));
			return undefined;
		});
		expect(await rejection(get(service.url))).toMatchObject({
			code: 'RESPONSE_TOO_DEEP',
			retryable: false,
			neverSent: false,
		});
	});
});
