/** Tries only a random sample of the mutants of each folder, the same one each time: all others get no result. */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { CheckStatus } from '@stryker-mutator/api/check';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';

export const strykerValidationSchema = { properties: { sampleSize: { type: 'number' } } };

/** As good as random. IDs are the same as long as the code is. */
const drawn = ({ id, replacement }) =>
  createHash('sha1').update(`${id} ${replacement}`).digest('hex');

class Sample {
  static inject = tokens(commonTokens.options);
  #size;
  #chosen = new Set();

  constructor({ sampleSize }) {
    this.#size = sampleSize;
  }

  async init() {}

  /** Stryker asks once, with all mutants. */
  async group(mutants) {
    const folders = Object.values(Object.groupBy(mutants, ({ fileName }) => dirname(fileName)));
    const chosen = folders.flatMap((all) =>
      all.toSorted((a, b) => (drawn(a) < drawn(b) ? -1 : 1)).slice(0, this.#size),
    );
    this.#chosen = new Set(chosen.map(({ id }) => id));
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const left = { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(
      mutants.map(({ id }) => [id, this.#chosen.has(id) ? { status: CheckStatus.Passed } : left]),
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sample)];
