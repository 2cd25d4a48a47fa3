const { projects } = require('../../jest.config');

/** The tests of an area run as one project, since Stryker counts what each test covers in a single one only. */
const { transform, modulePathIgnorePatterns } = projects[0];

module.exports = {
  rootDir: '../..',
  testEnvironment: require.resolve('./environment'),
  transform,
  modulePathIgnorePatterns,
  // A mutant that makes a test wait for good fails it after this time.
  testTimeout: 5_000,
};
