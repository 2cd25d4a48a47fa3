/** Messages of stations in OCPP 1.6, 2.0.1 and 2.1, which the official schemas accept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

const sample = z.object({
	name: z.string(),
	protocol: z.enum(['ocpp1.6', 'ocpp2.0.1', 'ocpp2.1']),
	action: z.string(),
	messageType: z.enum(['CALL', 'CALL_RESULT']),
	payload: z.record(z.string(), z.unknown()),
});

export type OcppSample = z.output<typeof sample>;

export const OCPP_SAMPLES: readonly OcppSample[] = readFileSync(
	join(__dirname, 'ocppSamples.jsonl'),
	'utf8',
)
	.trim()
	.split('\n')
	.map((line) => sample.parse(JSON.parse(line)));
