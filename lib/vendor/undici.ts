/**
 * The HTTP client with keep-alive pools and proxies, bundled at build time.
 *
 * Its parts are imported one by one, because loading undici's entry replaces the dispatcher of the process's `fetch`,
 * which a package must not do in n8n's process. It also halves the bundle.
 */
import api from 'undici/lib/api';
import Agent from 'undici/lib/dispatcher/agent';
import Dispatcher from 'undici/lib/dispatcher/dispatcher';
import Pool from 'undici/lib/dispatcher/pool';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent';

// Like undici's own entry: gives its dispatchers `request`, and `connect` for proxy tunnels.
Object.assign(Dispatcher.prototype, api);

export { Agent, Pool, ProxyAgent };
export type { Dispatcher };
