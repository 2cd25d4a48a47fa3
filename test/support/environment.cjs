/**
 * Jest's environment of Node, without the long timers that a test file leaves behind. Those of n8n-core and the package
 * keep no process alive, but all modules of the file: workers grew to gigabytes, and the exit of such a process takes
 * longer than the half second that Jest waits.
 */
const { TestEnvironment } = require('jest-environment-node');

const LONG_MS = 5_000;

module.exports = class extends TestEnvironment {
  #timers = [];

  constructor(...options) {
    super(...options);
    for (const name of ['setTimeout', 'setInterval'])
      this.global[name] = this.#noted(this.global[name]);
  }

  #noted(start) {
    return new Proxy(start, {
      apply: (_start, _this, asked) => {
        const timer = start(...asked);
        if (asked[1] >= LONG_MS) this.#timers.push(timer);
        return timer;
      },
    });
  }

  async teardown() {
    // One that keeps the process alive is a leak, which Jest reports.
    for (const timer of this.#timers) if (!timer.hasRef()) clearTimeout(timer);
    await super.teardown();
  }
};
