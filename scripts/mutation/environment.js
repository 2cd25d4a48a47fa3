const { TestEnvironment } = require('jest-environment-node');

/** The mutant that a test has noticed. Stryker names the one at work in the environment of the process. */
let noticed;

/** Leaves out what would run after the first test that notices a mutant: by then all is known of it. */
module.exports = class extends TestEnvironment {
  handleTestEvent({ name, test }) {
    const mutant = process.env['__STRYKER_ACTIVE_MUTANT__'];
    if (mutant === undefined) return;
    if (name === 'test_fn_failure' || name === 'hook_failure') noticed = mutant;
    if (name === 'test_start' && noticed === mutant) test.mode = 'skip';
  }
};
