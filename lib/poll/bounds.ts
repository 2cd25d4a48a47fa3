/** How far a poll reads, how many requests it sends, and how long its results are kept. Times are in milliseconds. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The service lists an event for 30 days (specification 6.6); an event that is forgotten while listed would run again. */
export const RETENTION_MS = 35 * DAY_MS;
/** An event may appear in the list after newer ones, and clocks differ: each poll reads this far behind the frontier. */
export const OVERLAP_MS = 10 * MINUTE_MS;
/** Once per `LOOK_BACK_EVERY_MS`, a poll reads this far back, for events that appeared even later. */
export const LOOK_BACK_MS = DAY_MS;
export const LOOK_BACK_EVERY_MS = HOUR_MS;
/** Requests per poll: a long range is spread over several polls, which limits the memory that each needs. */
export const MOST_REQUESTS = 50;
/** The share of n8n's time budget that listing may take: the rest is for the ledger and a request in progress. */
export const LISTING_SHARE = 0.5;
