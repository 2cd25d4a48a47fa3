/** The store in an SQLite file. */
export { hostClock } from './hostClock';
export { SqliteStore } from './store';
