/** The store on Redis. */
export { RedisStore } from './store';
export { describeRedis, readRedisSettings } from './settings';
