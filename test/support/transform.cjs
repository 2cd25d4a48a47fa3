/**
 * TypeScript for Jest: esbuild takes a tenth of the time of TypeScript itself. It does not move `jest.mock` above the imports,
 * as ts-jest does. Neither checks types (tsc does), and both have one cache for all test levels.
 */
const { createHash } = require('node:crypto');
const esbuild = require('esbuild');

const VERSIONS = ['esbuild', 'ts-jest', 'typescript'].map(
  (name) => require(`${name}/package.json`).version,
);

const createTransformer = ({ tsconfig }) => {
  const settings = JSON.stringify([tsconfig, VERSIONS]);
  let tsJest;
  const withEsbuild = (text, path) =>
    esbuild.transformSync(text, {
      ...{ loader: 'ts', format: 'cjs', target: tsconfig.target, sourcefile: path },
      ...{ sourcemap: true, tsconfigRaw: { compilerOptions: tsconfig } },
      // Jest has `require` only.
      supported: { 'dynamic-import': false },
    });
  return {
    process: (text, path, options) => {
      if (!text.includes('jest.mock(')) return withEsbuild(text, path);
      // Takes a second to load.
      tsJest ??= require('ts-jest').default.createTransformer({ tsconfig });
      return tsJest.process(text, path, options);
    },
    getCacheKey: (text, path, { instrument }) =>
      createHash('sha1').update([settings, instrument, path, text].join('\0')).digest('hex'),
  };
};

module.exports = { createTransformer };
