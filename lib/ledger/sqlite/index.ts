/** The ledger in an SQLite file. */
export { SqliteLedger, type SqliteLedgerOptions } from './store';
export { LedgerDatabase, loadSqlite } from './database';
