const { projects } = require('../../jest.config');

/** The tests of an area run as one project, since Stryker measures coverage per test in only one project. */
const { transform, modulePathIgnorePatterns } = projects[0];

module.exports = {
  rootDir: '../..',
  testEnvironment: require.resolve('./environment'),
  transform,
  modulePathIgnorePatterns,
  // A mutant that makes a test hang fails it after this time. Tests of a Redis that stops take several seconds.
  testTimeout: 20_000,
};
