/** Commands for stations, as the public documentation of the command path shows them; README.md says what is assumed. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { COMMAND_ACTIONS } from '../../data/commands';
import type { CommandOutcome, StationResponse } from '../../service/commands';
import type { Service } from '../../service/service';
import { requireScope } from '../authorize';
import { parse, ServiceError } from '../errors';

const COMMANDS = '/ocpp/v2/raw-request';
/** OCPP 1.6 and 2.0.1 allow the length of a UUID. */
const MAX_MESSAGE_ID = 36;

const commandRequest = z.strictObject({
	action: z.enum(COMMAND_ACTIONS),
	assetId: z.string().min(1),
	payload: z.record(z.string(), z.unknown()),
	network: z.strictObject({ id: z.string().min(1) }).optional(),
	async: z.boolean().default(true),
	requestId: z.string().min(1).max(MAX_MESSAGE_ID).optional(),
});

type Refusal = Extract<CommandOutcome, { sent: false }>['reason'];

const REFUSALS: Readonly<Record<Refusal, readonly [status: number, message: string]>> = {
	unknownAsset: [404, 'There is no such asset.'],
	offline: [409, 'The station is not connected.'],
	otherCommand: [422, 'The requestId belongs to another command.'],
};

export function commandRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.post(COMMANDS, {
			onRequest: requireScope(service, 'write:ocpp'),
			handler: async (request, reply) => {
				const { network, async: isAsync, ...command } = parse(commandRequest, request.body);
				const asset = service.assets.find(({ id }) => id === command.assetId);
				if (asset && network && network.id !== asset.network.id) {
					throw new ServiceError(404, 'There is no such asset in this network.');
				}
				const outcome = service.commands.request(command);
				if (!outcome.sent) throw new ServiceError(...REFUSALS[outcome.reason]);
				const { requestId, protocol } = outcome;
				const status = { status: 'Success', async: isAsync, ocppMessageId: requestId };
				if (isAsync) return status;
				const response = await outcome.response();
				if (!response) {
					throw new ServiceError(504, 'The station has not responded in time; it may do so later.');
				}
				const { action, payload } = command;
				return await reply.send({
					...status,
					data: {
						ocppMessageId: requestId,
						connection: { connectionId: `conn_${command.assetId}`, protocol },
						request: { messageType: '2', messageId: requestId, action, payload },
						response: documented(response, requestId),
					},
				});
			},
		});
	};
}

/** The documentation spells one field of an error with a capital. */
function documented(response: StationResponse, messageId: string): object {
	if (response.messageType === 'CALL_RESULT') return { ...response, messageId };
	const { errorDescription: ErrorDescription, ...error } = response;
	return { ...error, messageId, ErrorDescription };
}
