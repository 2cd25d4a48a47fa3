/**
 * The HTTP client with keep-alive pools and proxies, bundled at build time.
 *
 * Its parts are imported one by one: loading undici's entry sets the dispatcher of the process's `fetch`, which a package must
 * not do in n8n's process, and doubles the bundle. undici does not promise these files, so its version is exact, and
 * `test/unit/vendor.test.ts` fails when one of them is not what the entry exports any more.
 */
// Private: the methods that the entry adds to all dispatchers. The entry exports them only bound to the process's dispatcher.
import api from 'undici/lib/api';
// `Agent` of the entry: pools per origin.
import Agent from 'undici/lib/dispatcher/agent';
// `Dispatcher` of the entry: the class whose instances get the methods.
import Dispatcher from 'undici/lib/dispatcher/dispatcher';
// `Pool` of the entry: the connections to one origin.
import Pool from 'undici/lib/dispatcher/pool';
// `ProxyAgent` of the entry: tunnels and forwarding.
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent';

// Like undici's own entry: gives its dispatchers `request`, and `connect` for proxy tunnels.
Object.assign(Dispatcher.prototype, api);

export { Agent, Pool, ProxyAgent };
export type { Dispatcher };
