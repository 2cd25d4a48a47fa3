/**
 * Preloaded into n8n, and by it into the thread of the ledger: while the file FAIL_SYNCS_WHILE exists, no transaction of the
 * ledger's file can be synced, although every other write succeeds, as on a disk that loses what it has acknowledged.
 */
'use strict';
const fs = require('node:fs');
const threads = require('node:worker_threads');

const flag = process.env.FAIL_SYNCS_WHILE;
if (flag && threads.isMainThread) {
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(file, options) {
      const isOurs = String(file).endsWith('threadEntry.js');
      const preloaded = { execArgv: ['--require', __filename], env: { FAIL_SYNCS_WHILE: flag } };
      super(file, isOurs ? { ...options, ...preloaded } : options);
    }
  };
} else if (flag) {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const exec = DatabaseSync.prototype.exec;
  const synced = new WeakSet();
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === 'PRAGMA synchronous = FULL') synced.add(this);
    else if (sql.startsWith('PRAGMA synchronous')) synced.delete(this);
    if (sql === 'COMMIT' && synced.has(this) && fs.existsSync(flag)) {
      // SQLite's code of a sync that fails.
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 1034 });
    }
    return exec.call(this, sql);
  };
}
