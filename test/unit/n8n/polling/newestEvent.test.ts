import type { INode } from 'n8n-workflow';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { newestEvent, readPollSettings } from '../../../../n8n/polling/poll';
import { fakeList } from '../../follow/fakeList';

const MINUTE = 60_000;
const NEWEST = Date.parse('2026-11-20T12:00:30Z');
const FAULTED = [{ field: 'data.payload.status', operator: 'equals', value: 'Faulted' }];
const NODE = { name: 'Poll' } as INode;

const event = (n: number, payload: object = { status: 'Available' }): ApiRecord => ({
	id: `whevt_${n}`,
	eventType: 'ocpp.message',
	createdAt: new Date(NEWEST - n * MINUTE).toISOString(),
	payload: { payload },
});
const events = (count: number) => Array.from({ length: count }, (_, n) => event(n));

/** A list served in pages, and how far it was read. */
const serving = (records: readonly ApiRecord[]) => {
	const seen = { requests: 0 };
	const client = fakeList(
		(resource) => {
			expect(resource).toBe('event');
			return records;
		},
		() => {
			seen.requests += 1;
		},
	);
	return { seen, client };
};

const fetchFrom = async (
	client: Pick<ApiClient, 'list'>,
	parameters: Readonly<Record<string, unknown>> = { conditions: { condition: FAULTED } },
	now?: () => number,
) =>
	await newestEvent(
		NODE,
		client,
		readPollSettings((name, fallback) => ({ limit: 50, ...parameters })[name] ?? fallback),
		now,
	);
const failure = async (...asked: Parameters<typeof fetchFrom>) => {
	const error: unknown = await fetchFrom(...asked).catch((thrown: unknown) => thrown);
	const { message, description } = error as { message: string; description: string };
	return { message, description };
};

describe('the event that "Fetch Test Event" shows', () => {
	it('is the newest of the first page that has one', async () => {
		const records = events(300);
		records[120] = event(120, { status: 'Faulted' });
		records[121] = event(119.5, { status: 'Faulted' });
		records[122] = event(122, { status: 'Faulted' });
		records[200] = event(200, { status: 'Faulted' });
		const { client, seen } = serving(records);
		expect(await fetchFrom(client)).toMatchObject({
			json: { id: 'whevt_119.5', type: 'ocpp.message', data: { payload: { status: 'Faulted' } } },
		});
		expect(seen.requests).toBe(3);
	});

	it('is the newest of a list that begins with the oldest', async () => {
		const records = events(300);
		records[20] = event(20, { status: 'Faulted' });
		records[200] = event(200, { status: 'Faulted' });
		const { client } = serving(records.toReversed());
		expect(await fetchFrom(client)).toMatchObject({ json: { id: 'whevt_20' } });
	});

	it.each([
		[50, 20],
		[100, 10],
		[7, 20],
	])('is looked for in a thousand events, or in 20 pages of %i', async (limit, requests) => {
		const { client, seen } = serving(events(5_000));
		const { message } = await failure(client, { limit, conditions: { condition: FAULTED } });
		expect(seen.requests).toBe(requests);
		expect(message).toMatch(/^None of the (1,000|140) newest events \(back to /);
	});

	it('is looked for during ten seconds', async () => {
		const { client, seen } = serving(events(5_000));
		let time = 0;
		const now = () => (time += 2_500);
		const conditions = { conditions: { condition: FAULTED } };
		expect((await failure(client, conditions, now)).message).toBe(
			'None of the 150 newest events (back to 2026-11-20 09:31 UTC) would start the workflow',
		);
		expect(seen.requests).toBe(3);
	});

	it('may not exist in a list, which reports how far it searched and the nearest miss', async () => {
		expect(await failure(serving(events(12)).client)).toEqual({
			message:
				'None of the 12 listed events (back to 2026-11-20 11:49 UTC) would start the workflow',
			description: "Nearest: condition 'Status equals Faulted' did not match 'Available'.",
		});
		const { client } = serving(events(2_000).toReversed());
		expect((await failure(client)).message).toBe(
			'None of the 1,000 oldest events (up to 2026-11-19 19:20 UTC) would start the workflow',
		);
		expect((await failure(serving([{ id: '1' }]).client)).message).toBe(
			'The only event listed would not start the workflow',
		);
	});

	it('may be none since a field is misspelled', async () => {
		const condition = [{ field: 'data.payload.statis', operator: 'equals', value: 'Faulted' }];
		const { client } = serving(events(50));
		expect(await failure(client, { conditions: { condition } })).toMatchObject({
			description:
				"Nearest: condition 'data.payload.statis equals Faulted' found no value. None of 50 events has a field 'data.payload.statis'. Did you mean 'data.payload.status'?",
		});
	});

	it('is not looked for where no event can meet the conditions', async () => {
		const { client, seen } = serving(events(50));
		const condition = [{ field: 'type', operator: 'greaterThan', value: 'many' }];
		expect((await failure(client, { conditions: { condition } })).message).toMatch(
			/^No event can meet the conditions\./,
		);
		expect(seen.requests).toBe(0);
	});
});
