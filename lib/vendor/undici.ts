/**
 * The HTTP client with keep-alive pools and proxies, bundled at build time.
 *
 * Its parts are taken one by one because undici's entry sets the dispatcher of everybody's `fetch` when it is loaded,
 * which is not a guest's business in n8n's process; it also halves the bundle.
 */
import api from 'undici/lib/api';
import Agent from 'undici/lib/dispatcher/agent';
import Dispatcher from 'undici/lib/dispatcher/dispatcher';
import Pool from 'undici/lib/dispatcher/pool';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent';

// What undici's own entry does: its dispatchers get `request`, and `connect` for proxy tunnels, from here.
Object.assign(Dispatcher.prototype, api);

export { Agent, Pool, ProxyAgent };
export type { Dispatcher };
