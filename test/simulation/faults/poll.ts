/** Faults in what a poll starts. */
import type { Fault } from './fault';

export const POLL: readonly Fault[] = [];
