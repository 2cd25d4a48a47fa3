const { spawnSync } = require('node:child_process');
const { availableParallelism } = require('node:os');

/**
 * Looking up a global takes a test hundreds of nanoseconds, since its globals are those of a `vm` context: given to each module as
 * parameters they cost nothing. Not those that tests replace, and not `Buffer`, which undici declares.
 */
const FAST_GLOBALS = [
  ...['Array', 'BigInt', 'Boolean', 'Error', 'Infinity', 'JSON', 'Map', 'Math', 'Number', 'Object'],
  ...['Promise', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol'],
];

/** One Jest project a test level; each file runs TypeScript through ts-jest without type checks (tsc does those). */
const common = {
  // One for all levels, since the folder of the cache has it in its name.
  id: require('./package.json').name,
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  transform: {
    '^.+\\.ts$': [
      '<rootDir>/test/support/transform.cjs',
      { tsconfig: { ...require('./tsconfig.json').compilerOptions, noEmit: false } },
    ],
  },
  sandboxInjectedGlobals: FAST_GLOBALS,
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/coverage/'],
};

/** The ledger's contract on a real Redis: end to end always, and among the unit tests where a redis-server is installed. */
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis)
  console.warn('Not tested here: the ledger on Redis, since redis-server is not installed.');
const further = { unit: hasRedis ? ['<rootDir>/test/e2e/ledger/contract.test.ts'] : [] };

/** These try random cases, or many: a few of them among the unit tests, all of them in the project `thorough` (`test/support/cases.ts`). */
const TRYING_MANY = [
  ...['follow/follow', 'follow/looks', 'follow/poisons', 'ledger/common/key'],
  ...['poll/anyList', 'poll/filters', 'station/anyOrder', 'station/fieldSessions'],
  ...['station/flood', 'station/folds'],
  ...['station/past/asReported', 'station/past/periods', 'station/past/statuses'],
  ...['station/past/uptimeSums', 'station/past/uptimeTruth', 'station/sessionsAnyOrder'],
];

const level = (name) => ({
  ...common,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`, ...(further[name] ?? [])],
});

module.exports = {
  // One more than there are cores, since several tests wait most of their time.
  maxWorkers: availableParallelism() + 1,
  // Here and not in a project, where Jest ignores it. Only a test that hangs should ever reach it, on any machine.
  testTimeout: 60_000,
  // To end, a worker frees a gigabyte, which takes a busy machine seconds: nothing was left open when it ran out of Jest's 500 ms. What a test leaves open for good is still reported.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/support/longFirst.cjs',
  projects: [
    ...['unit', 'integration', 'simulation', 'e2e', 'faults'].map(level),
    {
      ...common,
      displayName: 'thorough',
      testMatch: TRYING_MANY.map((name) => `<rootDir>/test/unit/${name}.test.ts`),
      globals: { isThorough: true },
    },
  ],
};
