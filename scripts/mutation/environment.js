const TestEnvironment = require('../../test/support/environment.cjs');

/** The mutant that a test has failed for. Stryker names the active one in the environment of the process. */
let noticed;

/** Skips all tests after the first one that fails for a mutant: its result is known by then. */
module.exports = class extends TestEnvironment {
  handleTestEvent({ name, test }) {
    const mutant = process.env['__STRYKER_ACTIVE_MUTANT__'];
    if (mutant === undefined) return;
    if (name === 'test_fn_failure' || name === 'hook_failure') noticed = mutant;
    if (name === 'test_start' && noticed === mutant) test.mode = 'skip';
  }
};
