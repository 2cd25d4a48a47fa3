/**
 * The times in which a station was offline, from what the service says of its connection and from the messages that the
 * station sent. A message soon after a lost connection can be a straggler of the old socket.
 */
import { OLD_SOCKET_MS, STRAGGLER_MS } from '../common/settings';
import type { Report } from '../common/state';

export const OFFLINE = 'offline';

export interface Outage {
	readonly first: Report;
	readonly since: number;
	/** Absent while it lasts. */
	readonly until?: number;
	readonly to?: string;
	/** The station was connected all the time: what it lost was an older socket. */
	readonly isVoid?: boolean;
	/** A message that can be a straggler is its last: whether it is over is not known yet. */
	readonly isPending?: boolean;
}

interface Sign {
	readonly t: number;
	readonly id: string;
}

/** The first sign of life that was sent later. */
export type SignAfter = (t: number) => Sign | undefined;

interface OpenOutage {
	readonly first: Report;
	/** When the connection was reported as lost last. */
	lost: number;
	straggler?: Sign;
	/** The connection was reported as lost again since. */
	again?: Report;
}

/** `reports` are in order; everything up to the watermark is known. */
export function outagesOf(
	reports: readonly Report[],
	signAfter: SignAfter,
	watermark: number,
): Outage[] {
	const outages: Outage[] = [];
	let open: OpenOutage | undefined;
	const close = ({ t: until, id: to }: Sign, isVoid = false) => {
		if (open === undefined) return;
		const { first } = open;
		if (until > first.t)
			outages.push({ first, since: first.t, until, to, ...(isVoid && { isVoid }) });
		open = undefined;
	};
	const see = (sign: Sign): void => {
		if (open === undefined) return;
		const { straggler, lost, first, again } = open;
		const isSoon = sign.t - lost < OLD_SOCKET_MS;
		if (straggler === undefined) {
			if (isSoon) open.straggler = sign;
			else close(sign);
		} else if (sign.t - straggler.t <= STRAGGLER_MS) {
			close(straggler, straggler.t - first.t < OLD_SOCKET_MS);
			if (again === undefined) return;
			open = { first: again, lost };
			see(sign);
		} else if (isSoon) open.straggler = sign;
		else close(sign);
	};
	for (let n = 0; n < reports.length || open !== undefined;) {
		const next = reports[n];
		const sign = open && signAfter(open.straggler?.t ?? open.lost - 1);
		if (sign !== undefined && sign.t < (next?.t ?? Infinity)) {
			see(sign);
			continue;
		}
		if (next === undefined) break;
		n += 1;
		if (next.key === '') close(next);
		else if (open === undefined) open = { first: next, lost: next.t };
		else {
			if (open.straggler !== undefined) open.again ??= next;
			open.lost = next.t;
		}
	}
	if (open !== undefined) {
		const { first, straggler } = open;
		const isPending = straggler !== undefined && straggler.t + STRAGGLER_MS > watermark;
		outages.push({ first, since: first.t, ...(isPending && { isPending }) });
	}
	return outages;
}
