/** The program of a thread (`thread.ts`): loads its module and lets that serve the requests. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Serve, ThreadData, ThreadRequest, ThreadResponse } from './thread';

const { file, data } = workerData as ThreadData;

/** What `Thread` has sent. */
const served = import(file).then(
	({ serve }: { readonly serve: Serve<unknown, unknown, unknown> }) => serve(data),
);

parentPort?.on('message', ({ id, request }: ThreadRequest) => {
	void respond(id, request);
});

async function respond(id: number, request: unknown): Promise<void> {
	const serve = await served;
	const response = await Promise.resolve(request)
		.then(serve)
		.then(
			(value): ThreadResponse => ({ id, response: value }),
			(error: unknown): ThreadResponse => ({ id, error }),
		);
	parentPort?.postMessage(response);
}
