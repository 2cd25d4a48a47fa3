/** Reads the past for a question: once for all input items that ask about the same period. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { ApiClient } from '../../../../lib/service';
import { messageOf } from '../../../../lib/shared/errors';
import { sentence } from '../../../../lib/shared/text';
import { HOUR_MS } from '../../../../lib/shared/time';
import { asTexts, textOf } from '../../../../lib/shared/values';
import {
	type Asked,
	connectionSettings,
	directoryNow,
	type Past,
	readPast,
	type Wants,
} from '../../../../lib/station';
import { unknown } from '../../../../lib/vendor/zod';
import { cancelSignal } from '../../../../n8n/api/apiClient';
import { bounded } from '../../../../n8n/fields/parameters';
import { type InputItem, parameter, parameterError, wrongKindError } from '../../shared/parameters';
import type { OperationRun } from '../../shared/resource';
import { createdAfterOf, timeOfField } from '../../shared/times';
import { DAYS_BACK, LOOK_BACK, MAX_EVENTS } from './fields';

/** What the items of an execution share. */
interface Shared {
	/** Items without a time ask about the same period. */
	readonly now: number;
	readonly readings: Map<string, Promise<Past>>;
	directory?: Promise<Asked['directory']>;
}

const executions = new WeakMap<IExecuteFunctions, Shared>();

function sharedOf(context: IExecuteFunctions): Shared {
	const known = executions.get(context) ?? { now: Date.now(), readings: new Map() };
	executions.set(context, known);
	return known;
}

/** Without `hasPeriod`, the question is about now. */
export async function ask(run: OperationRun, wants: Wants, hasPeriod = true): Promise<Asked> {
	const { context, client, warn } = run;
	const shared = sharedOf(context);
	const assetIds = assetIdsOf(run);
	const period = hasPeriod ? periodOf(run, shared.now) : { from: shared.now, to: undefined };
	const lookBackMs = parameter(run, 'lookBackHours', bounded(LOOK_BACK.default, 0, LOOK_BACK.most));
	const question = {
		...period,
		wants,
		lookBackMs: lookBackMs * HOUR_MS,
		maxEvents: parameter(
			run,
			'options.maxEvents',
			bounded(MAX_EVENTS.default, 1, MAX_EVENTS.most),
			MAX_EVENTS.default,
		),
	};
	const key = JSON.stringify(question);
	const reading =
		shared.readings.get(key) ??
		readPast({ ...question, client, words: connectionSettings(client.serviceInterface) });
	shared.readings.set(key, reading);
	const past = await reading;
	const directory = await (shared.directory ??= directoryNow(client));
	warnOf(past, warn);
	if (directory.failure !== undefined) {
		warn(`Stations are named by their IDs: ${messageOf(directory.failure)}`);
	}
	const signal = cancelSignal(context);
	return {
		...{ past, directory, assetIds },
		owner: { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id },
		check: () => signal?.throwIfAborted(),
	};
}

export const wordsOf = (client: Pick<ApiClient, 'serviceInterface'>) =>
	connectionSettings(client.serviceInterface);

interface PeriodTimes {
	readonly from: number;
	readonly to: number | undefined;
}

function periodOf(item: InputItem, now: number): PeriodTimes {
	const from = createdAfterOf(item, DAYS_BACK, now);
	const to = timeOfField(item, 'Created Before', parameter(item, 'createdBefore', unknown()));
	if (from < (to ?? now)) return { from, to };
	throw parameterError(
		item,
		to === undefined || to > now
			? "'Created After' is in the future"
			: "'Created After' is not before 'Created Before'",
		'Choose a period that has begun: its beginning is before its end.',
	);
}

function assetIdsOf(item: InputItem): Set<string> | undefined {
	const given = parameter(item, 'assetIds', unknown());
	const isList = Array.isArray(given) && given.every((id) => textOf(id) !== undefined);
	const text = textOf(given);
	if (!isList && text === undefined) throw wrongKindError(item, 'Asset IDs', given);
	const ids = isList ? given.map(String) : asTexts(text);
	const named = ids.map((id) => id.trim()).filter((id) => id !== '');
	return named.length > 0 ? new Set(named) : undefined;
}

function warnOf({ facts, events }: Past, warn: OperationRun['warn']): void {
	if (events === 0) warn('The service lists no events of this time.', { inLog: false });
	for (const { text } of facts.leftOut.all) warn(sentence(text));
}
