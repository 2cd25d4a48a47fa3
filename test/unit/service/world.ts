/** The service as the tests of the client need it: a token route and whatever else a test adds. */
import { type ApiRecord, type ListedPage, recordsOf } from '../../../lib/service';
import type { ApiSettings } from '../../../lib/service/credential';
import { SERVICE_INTERFACE } from '../../../lib/service/defaults';
import { startHttpService, type Handler, type HttpService } from '../../support/httpService';

export const SECRET = 'top-secret/+ "quoted" ü';

export interface World {
	readonly service: HttpService;
	readonly settings: ApiSettings;
	/** How many tokens were asked for. */
	tokensAskedFor(): number;
}

export interface WorldOptions {
	/** Answers everything but the token route, or that too when it wants to. */
	readonly api?: Handler;
	readonly token?: Handler;
	readonly expiresIn?: number;
}

const worlds: HttpService[] = [];
let next = 0;

/** A service whose tokens are numbered, and settings of an API client of its own. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
	const { api = () => ({ status: 404, body: {} }), expiresIn = 3600 } = options;
	let issued = 0;
	const token: Handler =
		options.token ??
		(() => ({
			body: {
				access_token: `token-${++issued}`,
				token_type: 'Bearer',
				expires_in: expiresIn,
				scope: 'assets:read',
			},
		}));
	const service = await startHttpService((request, raw) =>
		request.path === '/oauth/token' ? token(request, raw) : api(request, raw),
	);
	worlds.push(service);
	return {
		service,
		settings: {
			baseUrl: service.url,
			authUrl: service.url,
			audience: 'https://api.example.com',
			clientId: `client-${++next}`,
			clientSecret: SECRET,
			serviceInterface: SERVICE_INTERFACE,
		},
		tokensAskedFor: () => service.to('/oauth/token').length,
	};
}

/** Stops every service that was started; for `afterEach`. */
export async function stopWorlds(): Promise<void> {
	await Promise.all(worlds.splice(0).map((service) => service.stop()));
}

/** All records of a list. */
export async function all(pages: AsyncIterable<ListedPage>): Promise<ApiRecord[]> {
	return await Array.fromAsync(recordsOf(pages));
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
	return await promise.then(
		() => {
			throw new Error('it was expected to fail');
		},
		(error: unknown) => error,
	);
}

/** A clock that only moves when it is slept by, and remembers for how long. */
export function fakeRuntime({ random = 0 }: { random?: number } = {}) {
	let now = Date.UTC(2026, 0, 1);
	const slept: number[] = [];
	return {
		slept,
		now: () => now,
		random: () => random,
		sleep: (ms: number) => {
			slept.push(ms);
			now += ms;
			return Promise.resolve();
		},
		pass: (ms: number) => {
			now += ms;
		},
	};
}
