/** One Jest project a test level; each file runs TypeScript through ts-jest without type checks (tsc does those). */
const common = {
  testEnvironment: 'node',
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
  // Here and not in a project, where Jest ignores it. Only a test that hangs should ever reach it, on any machine.
  testTimeout: 60_000,
  projects: ['unit', 'integration', 'e2e', 'faults'].map(level),
};
