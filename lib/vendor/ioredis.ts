/** The parts of ioredis that the ledger uses; bundled at build time. */
export { Cluster, Redis } from 'ioredis';
export type { RedisOptions } from 'ioredis';
