/** ioredis, as far as the ledger uses it; bundled at build time. */
export { Cluster, Redis } from 'ioredis';
export type { RedisOptions } from 'ioredis';
