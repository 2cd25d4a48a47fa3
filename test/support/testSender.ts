/** Senders that end with the test that started them. */
import { type EventSender, type SenderOptions, startSender } from './sender';

/** Gives a function that starts senders; those that are left when a test ends are stopped. To be called at the top of a test file. */
export function stoppedAfterEachTest(): (options: SenderOptions) => Promise<EventSender> {
	const senders: EventSender[] = [];
	afterEach(async () => {
		for (const sender of senders.splice(0)) await sender.stop();
	});
	return async (options) => {
		const sender = await startSender(options);
		senders.push(sender);
		return sender;
	};
}
