/** placeholder */
import type { Records } from '../ledger';
import type { PollState } from './state';
export async function asRequested(_records: Records, _workflowId: string, state: PollState, _now: number): Promise<PollState> {
	return state;
}
