/**
 * Preloaded into n8n: while the file FAIL_SYNCS_WHILE exists, no sync of a file of the ledger succeeds, although every
 * write does, as on a disk that loses what it has acknowledged.
 */
'use strict';
const fs = require('node:fs');

const flag = process.env.FAIL_SYNCS_WHILE;
const isOfLedger = (descriptor) => {
  try {
    return fs.readlinkSync(`/proc/self/fd/${descriptor}`).includes('asset-service-ledger');
  } catch {
    return false;
  }
};
const mustFail = (descriptor) => fs.existsSync(flag) && isOfLedger(descriptor);
const failure = (syscall) =>
  Object.assign(new Error(`EIO: i/o error, ${syscall}`), { errno: -5, code: 'EIO', syscall });

if (flag) {
  for (const name of ['fsync', 'fdatasync']) {
    const sync = fs[name];
    const syncNow = fs[`${name}Sync`];
    fs[name] = (descriptor, done) => {
      if (mustFail(descriptor)) setImmediate(done, failure(name));
      else sync(descriptor, done);
    };
    fs[`${name}Sync`] = (descriptor) => {
      if (mustFail(descriptor)) throw failure(name);
      syncNow(descriptor);
    };
  }
}
