/** Commands for stations: each request ID is carried out once, and its messages become events. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Asset } from '../data/assets';
import type { CommandStat, StationInput } from '../shared/types';

type Payload = Readonly<Record<string, unknown>>;

export interface Command {
	readonly action: string;
	readonly assetId: string;
	readonly payload: Payload;
	/** The OCPP message ID; made up unless given. */
	readonly requestId?: string | undefined;
}

/** The last message of a command, as a station sends it. */
export type StationResponse =
	| { readonly messageType: 'CALL_RESULT'; readonly payload: Payload }
	| {
			readonly messageType: 'CALL_ERROR';
			readonly errorCode: string;
			readonly errorDescription: string;
			readonly errorDetails: Payload;
	  };

export type CommandOutcome =
	| { readonly sent: false; readonly reason: 'offline' | 'otherCommand' | 'unknownAsset' }
	| {
			readonly sent: true;
			readonly requestId: string;
			readonly protocol: string;
			/** Undefined when the station has not responded in time. */
			readonly response: () => Promise<StationResponse | undefined>;
	  };

interface Known {
	readonly command: Command;
	readonly stat: CommandStat;
	/** Missing until the station has got the command; undefined when it never responds. */
	response?: Promise<StationResponse | undefined>;
}

interface CommandsOptions {
	readonly assets: readonly Asset[];
	readonly timeoutMs: number;
	/** Records and delivers an `ocpp.message` event with this data. */
	readonly send: (data: Record<string, unknown>) => void;
}

export class Commands {
	private readonly stations = new Map<string, StationInput>();
	private readonly known = new Map<string, Known>();
	private readonly stopping = new AbortController();

	constructor(private readonly options: CommandsOptions) {}

	get stats(): CommandStat[] {
		return [...this.known.values()].map(({ stat }) => ({ ...stat }));
	}

	/** False when there is no such asset. */
	setStation(assetId: string, station: StationInput): boolean {
		const asset = this.asset(assetId);
		if (asset) this.stations.set(assetId, station);
		return asset !== undefined;
	}

	request(command: Command): CommandOutcome {
		const asset = this.asset(command.assetId);
		if (!asset) return { sent: false, reason: 'unknownAsset' };
		const requestId = command.requestId ?? randomUUID();
		const known = this.know({ ...command, requestId }, requestId);
		if (!isDeepStrictEqual(known.command, { ...command, requestId })) {
			return { sent: false, reason: 'otherCommand' };
		}
		known.stat.requests += 1;
		const station = this.stations.get(asset.id) ?? { commands: 'accepted' };
		const protocol = asset.chargingStation.protocol === 'OCPP_2_0_1' ? 'ocpp2.0.1' : 'ocpp1.6';
		if (!known.response && station.commands === 'offline')
			return { sent: false, reason: 'offline' };
		const response = (known.response ??= this.execute(known, station, protocol));
		return {
			...{ sent: true, requestId, protocol },
			response: async () => await Promise.race([response, this.after(this.options.timeoutMs)]),
		};
	}

	/** Stations respond to nothing any more. */
	stop(): void {
		this.stopping.abort();
	}

	private asset(id: string): Asset | undefined {
		return this.options.assets.find((asset) => asset.id === id);
	}

	private know(command: Command, requestId: string): Known {
		const { assetId, action } = command;
		const known = this.known.get(requestId) ?? {
			command,
			stat: { requestId, assetId, action, requests: 0, executed: 0 },
		};
		this.known.set(requestId, known);
		return known;
	}

	private async execute(
		{ command, stat }: Known,
		{ commands, afterMs = 0 }: StationInput,
		protocol: string,
	): Promise<StationResponse | undefined> {
		const { requestId: messageId, assetId, action, payload } = command;
		const common = { asset: { id: assetId }, messageId, protocol };
		stat.executed += 1;
		this.options.send({ ...common, messageType: 'CALL', action, payload });
		const response = responseOf(commands);
		if (!response) return await new Promise(() => undefined);
		await this.after(afterMs);
		if (!this.stopping.signal.aborted) this.options.send({ ...common, ...response });
		return response;
	}

	/** At once when the simulator is stopped. */
	private async after(ms: number): Promise<undefined> {
		const { signal } = this.stopping;
		await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
	}
}

function responseOf(commands: StationInput['commands']): StationResponse | undefined {
	switch (commands) {
		case 'accepted':
			return { messageType: 'CALL_RESULT', payload: { status: 'Accepted' } };
		case 'rejected':
			return { messageType: 'CALL_RESULT', payload: { status: 'Rejected' } };
		case 'error':
			return {
				messageType: 'CALL_ERROR',
				errorCode: 'InternalError',
				errorDescription: 'The command could not be carried out',
				errorDetails: {},
			};
		case 'none':
		case 'offline':
			return undefined;
	}
}
