/** The ledger in an SQLite file. */
export { SqliteLedger } from './store';
