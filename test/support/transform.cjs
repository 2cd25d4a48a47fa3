/** ts-jest, with one cache for all test levels: its own key has the settings of the level, so each of them had all files transpiled again. */
const { createHash } = require('node:crypto');
const { default: tsJest } = require('ts-jest');

const VERSIONS = ['ts-jest', 'typescript'].map((name) => require(`${name}/package.json`).version);

const createTransformer = (options) => {
  const transformer = tsJest.createTransformer(options);
  const settings = JSON.stringify([options, VERSIONS]);
  return {
    process: transformer.process,
    getCacheKey: (text, path, { instrument }) =>
      createHash('sha1').update([settings, instrument, path, text].join('\0')).digest('hex'),
  };
};

module.exports = { createTransformer };
