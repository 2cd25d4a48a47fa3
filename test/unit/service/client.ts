/** A client of the service, as the tests of the client need it. */
import { createApiClient, undiciTransport } from '../../../lib/service';
import { createAccessTokens } from '../../../lib/service/tokens';
import type { Answer, Handler } from '../../support/httpService';
import { fakeRuntime, startWorld, type World } from './world';

export const ASSETS = '/asset-management/v1/assets';

/** A token refused by the words of RFC 6750, section 3.1, with a status that the RFC gives to another error. */
export const INVALID_TOKEN: Answer = {
	status: 403,
	headers: { 'www-authenticate': 'Bearer realm="api", error="invalid_token"' },
};

type Options = Partial<Parameters<typeof createApiClient>[0]>;

/** A client of this world, and the warnings that it gave. */
export function clientOf(world: World, options: Options = {}) {
	const warnings: string[] = [];
	const client = createApiClient({
		settings: world.settings,
		transport: undiciTransport({ env: {} }),
		tokens: createAccessTokens(),
		runtime: fakeRuntime(),
		warn: (message) => warnings.push(message),
		...options,
	});
	return { client, warnings };
}

export const start = async (api: Handler, options: Options = {}) => {
	const world = await startWorld({ api });
	return { world, ...clientOf(world, options) };
};
/** A client of a service with the same response to every request. */
export const answering = (answer: Answer) => start(() => answer);
