/** Faults of the past, as small changes of the sources: the simulation has to find each of them. */
import type { Fault } from './fault';
import { LEDGER } from './ledger';
import { N8N } from './n8n';
import { POLL } from './poll';
import { RECEIVER } from './receiver';
import { REDIS } from './redis';
import { STATIONS } from './station';

export type { Fault } from './fault';

export const FAULTS: readonly Fault[] = [
	...LEDGER,
	...RECEIVER,
	...N8N,
	...POLL,
	...STATIONS,
	...REDIS,
];
