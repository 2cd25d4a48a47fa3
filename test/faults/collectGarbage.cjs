/** Preloaded into n8n: SIGUSR2 collects its garbage and writes to MEMORY_FILE how many bytes are left in use. */
'use strict';
const { renameSync, writeFileSync } = require('node:fs');

const file = process.env.MEMORY_FILE;
if (file && global.gc) {
  process.on('SIGUSR2', () => {
    global.gc();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${file}.new`, String(heapUsed + external));
    renameSync(`${file}.new`, file);
  });
}
