/** Jest's order of the test files, but long ones first also before Jest has measured them: the last worker would have one of them when the others are done. */
const { default: Sequencer } = require('@jest/test-sequencer');

/** Those of more than two minutes with four workers, and of more than ten seconds in `npm test`; the longest first. Before the latter, those that collect garbage: with the heap of 100 files, each time takes seconds. */
const LONG = [
  ...['faults/queueMode', 'e2e/webhookLife/registration', 'faults/stations', 'faults/sleeping'],
  ...['e2e/operatorJobs/stationJobs', 'e2e/mainJob/scheduler', 'e2e/queueMode', 'faults/poll'],
  ...['e2e/operatorJobs/deadLetters', 'faults/stopped', 'e2e/webhookLife/rotation'],
  ...['faults/lostRuns', 'faults/recorded', 'faults/oneProcess', 'e2e/editor/triggers'],
  ...['unit/station/past/memory', 'unit/shared/idSet'],
  ...['simulation/model/protocol', 'simulation/seeds', 'simulation/stations/fieldHistories'],
  ...['unit/station/fieldStates', 'unit/station/fieldSessions', 'unit/follow/poisons'],
  ...['unit/station/flood', 'unit/follow/looks', 'unit/station/kills'],
  ...['unit/station/anyOrder', 'unit/station/folds'],
];

class LongFirst extends Sequencer {
  /** Of the times, which each level has for itself. */
  _getCachePath({ config }) {
    return super._getCachePath({ config: { ...config, id: config.displayName.name } });
  }

  sort(tests) {
    const place = ({ path }) => {
      const at = LONG.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
      return at < 0 ? LONG.length : at;
    };
    return super.sort(tests).toSorted((a, b) => place(a) - place(b));
  }
}

module.exports = Object.assign(LongFirst, { LONG });
