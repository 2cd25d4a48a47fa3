/** One Jest project a test level; each file runs TypeScript through ts-jest without type checks (tsc does those). */
const common = {
  testEnvironment: 'node',
  // For a machine that does other things besides; a test that waits for something sets its own bound.
  testTimeout: 20_000,
  transform: {
    '^.+\\.ts$': [
      'ts-jest',
      { tsconfig: { ...require('./tsconfig.json').compilerOptions, noEmit: false } },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

const level = (name) => ({
  ...common,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
});

module.exports = {
  projects: ['unit', 'integration', 'e2e', 'faults'].map(level),
};
