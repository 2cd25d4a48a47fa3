const { projects } = require('../../jest.config');

/** The tests of an area run as one project, since Stryker measures coverage per test in only one project. */
const { transform, sandboxInjectedGlobals, modulePathIgnorePatterns } = projects[0];

module.exports = {
  rootDir: '../..',
  testEnvironment: require.resolve('./environment'),
  transform,
  sandboxInjectedGlobals,
  modulePathIgnorePatterns,
  globals: { isThorough: true },
  // A mutant that makes a test hang fails it after this time. Tests that wait for a session of the ledger take 20 s.
  testTimeout: 60_000,
};
