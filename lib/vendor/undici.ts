/**
 * The HTTP client with keep-alive pools and proxy environment, bundled at build time.
 *
 * Its parts are taken one by one because undici's entry sets the dispatcher of everybody's `fetch` when it is loaded,
 * which is not a guest's business in n8n's process; it also halves the bundle.
 */
import api from 'undici/lib/api';
import Dispatcher from 'undici/lib/dispatcher/dispatcher';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent';
import Pool from 'undici/lib/dispatcher/pool';

// What undici's own entry does: its dispatchers get `request`, and `connect` for proxy tunnels, from here.
Object.assign(Dispatcher.prototype, api);

export { EnvHttpProxyAgent, Pool };
export type { Dispatcher };
