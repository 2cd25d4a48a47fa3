/** The ledger on Redis. */
export { RedisLedger, type RedisLedgerOptions } from './store';
export { describeRedis, readRedisSettings, type RedisSettings } from './settings';
