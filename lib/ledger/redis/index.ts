/** The ledger on Redis. */
export { RedisLedger } from './store';
export { describeRedis, readRedisSettings } from './settings';
