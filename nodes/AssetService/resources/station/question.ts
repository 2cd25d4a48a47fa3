/**
 * What the questions about stations share: their fields, as single objects, so that n8n keeps their values; and the past, read
 * once for all input items that ask about the same period.
 */
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { ApiClient } from '../../../../lib/service';
import { explained } from '../../../../lib/shared/errors';
import { sentence } from '../../../../lib/shared/text';
import { HOUR_MS } from '../../../../lib/shared/time';
import { asText, numberOf, textOf } from '../../../../lib/shared/values';
import {
	type Asked,
	checkListed,
	directoryNow,
	type Period,
	Readings,
	SILENT_AFTER_MS,
	type StationSettings,
	type Wants,
} from '../../../../lib/station';
import { unknown } from '../../../../lib/vendor/zod';
import { cancelSignal } from '../../../../n8n/api/apiClient';
import { stationIdsIn, stationsField } from '../../../../n8n/fields/stations';
import { MOST } from '../../../../n8n/polling/station/settings';
import {
	parallelItemsOption,
	type InputItem,
	parameter,
	parameterError,
	wrongKindError,
	timeField,
	createdAfterOf,
	createdBeforeOf,
	type OperationRun,
} from '../../shared/operation';

const DAYS_BACK = 1;

const stations = stationsField({
	displayName: 'Stations',
	name: 'stations',
	description: 'Only these stations, and those of Asset IDs',
});

const assetIds: INodeProperties = {
	displayName: 'Asset IDs',
	name: 'assetIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. asset_01HZX3, asset_01HZX4',
	description: 'Only these stations, by their IDs, for expressions and AI agents',
	hint: 'Separate IDs by commas. All stations if both fields are empty.',
};

/** The stations that are asked for: selected by a user, or by IDs. */
export const stationFields: readonly INodeProperties[] = [stations, assetIds];

export const periodFields: readonly INodeProperties[] = [
	timeField('createdAfter', {
		description: 'When the period begins',
		hint: 'Leave empty for the last 24 hours',
	}),
	timeField('createdBefore', { description: 'When the period ends', hint: 'Leave empty for now' }),
];

export const lookBackField: INodeProperties = {
	displayName: 'Look Back (Hours)',
	name: 'lookBackHours',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MOST.catchUpHours, numberPrecision: 0 },
	default: 24,
	description:
		'How far before the period to read, to find the state at its beginning. Stations report a status only when it changes.',
};

const maxEventsOption: INodeProperties = {
	displayName: 'Max Events',
	name: 'maxEvents',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 10_000_000, numberPrecision: 0 },
	default: 1_000_000,
	description: 'Max number of events to read. If the period has more, the node fails.',
};

const silentAfterOption: INodeProperties = {
	displayName: 'Silent After (Hours)',
	name: 'silentAfterHours',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: MOST.catchUpHours, numberPrecision: 0 },
	default: SILENT_AFTER_MS / HOUR_MS,
	description:
		'How long a station may send nothing: after that it counts as down since its last message. Many send a heartbeat only each 24 hours.',
};

export const optionsWith = (...options: INodeProperties[]): INodeProperties => ({
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [...options, maxEventsOption, parallelItemsOption],
});

/** Of questions about silence. */
export const silenceOptions = optionsWith(silentAfterOption);

/** What the items of an execution share. */
interface Shared {
	/** Items without a time ask about the same period. */
	readonly now: number;
	readonly readings: Readings;
	directory?: Promise<Asked['directory']>;
}

const executions = new WeakMap<IExecuteFunctions, Shared>();

function sharedOf(context: IExecuteFunctions, client: ApiClient): Shared {
	const known = executions.get(context);
	if (known !== undefined) return known;
	const now = Date.now();
	const shared = { now, readings: new Readings(client, now) };
	executions.set(context, shared);
	return shared;
}

interface AskOptions {
	/** If not, the question is about now. */
	readonly hasPeriod?: boolean;
	/** Of incidents: how long before the period those can begin that open in it, and how long after it they can resolve. */
	readonly incidents?: Pick<StationSettings, 'forMs' | 'withinMs' | 'resolveAfterMs'>;
}

const LASTING_NO_TIME = { forMs: 0, withinMs: 0, resolveAfterMs: 0 };

export async function ask(
	run: OperationRun,
	wants: Wants,
	{ hasPeriod = true, incidents = LASTING_NO_TIME }: AskOptions = {},
): Promise<Asked> {
	const { context, client, warn } = run;
	const shared = sharedOf(context, client);
	const assetIds = assetIdsOf(run);
	const period = hasPeriod ? periodOf(run, shared.now) : { from: shared.now, to: undefined };
	const { forMs, withinMs, resolveAfterMs } = incidents;
	const hoursBack = wholeNumber(run, 'lookBackHours', lookBackField);
	const lookBackMs = Math.max(hoursBack * HOUR_MS, forMs + withinMs);
	const maxEvents = wholeNumber(run, 'options.maxEvents', maxEventsOption);
	const silentAfterHours =
		wants.silence === true ? wholeNumber(run, 'options.silentAfterHours', silentAfterOption) : 0;
	const directory = await (shared.directory ??= directoryNow(client));
	checkListed(assetIds ?? [], directory.listing?.has, stations.displayName);
	const past = await shared.readings.of({
		...period,
		wants,
		lookBackMs,
		resolveAfterMs,
		maxEvents,
		silentAfterMs: silentAfterHours * HOUR_MS,
	});
	const asked = {
		past,
		directory,
		assetIds,
		owner: { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id },
		signal: cancelSignal(context),
	};
	warnOf(asked, warn);
	return asked;
}

/** Within the bounds of the field; its default if it is empty. */
function wholeNumber(
	item: InputItem,
	name: string,
	{
		displayName,
		default: fallback,
		typeOptions: { minValue = 0, maxValue = 0 } = {},
	}: INodeProperties,
): number {
	const given = parameter(item, name, unknown(), fallback);
	const number = numberOf(given === '' ? fallback : given);
	if (number !== undefined && Number.isInteger(number)) {
		if (minValue <= number && number <= maxValue) return number;
	}
	throw parameterError(
		item,
		`'${displayName}' must be a whole number from ${minValue} to ${maxValue}, but is ${asText(given) || typeof given}`,
		`Correct '${displayName}'.`,
	);
}

function periodOf(item: InputItem, now: number): Period {
	const from = createdAfterOf(item, DAYS_BACK, now);
	const to = createdBeforeOf(item);
	if (from < Math.min(to ?? now, now))
		return { from, to: to !== undefined && to < now ? to : undefined };
	throw parameterError(
		item,
		from >= now
			? "'Created After' is in the future"
			: "'Created After' is not before 'Created Before'",
		'Choose a period that has started and that ends after its start.',
	);
}

function assetIdsOf(item: InputItem): Set<string> | undefined {
	const given = parameter(item, assetIds.name, unknown());
	const isList = Array.isArray(given) && given.every((id) => textOf(id) !== undefined);
	if (!isList && textOf(given) === undefined) {
		throw wrongKindError(item, assetIds.displayName, given);
	}
	const selected = stationIdsIn(parameter(item, stations.name, unknown(), {}));
	// An expression that returns nothing must not ask for all stations.
	if (selected.includes('')) {
		throw parameterError(
			item,
			`'${stations.displayName}' has a row without a station`,
			'Select a station in each row, or remove the row.',
		);
	}
	const entered = stationIdsIn(given).filter((id) => id !== '');
	const ids = new Set([...selected, ...entered]);
	return ids.size > 0 ? ids : undefined;
}

function warnOf({ past, directory }: Asked, warn: OperationRun['warn']): void {
	const { facts, events, from, oldestAt = from } = past;
	if (events === 0) warn('The service lists no events of this time.', { inLog: false });
	else if (from < oldestAt) {
		const since = new Date(oldestAt).toISOString();
		warn(`The service lists events only since ${since}: what was before is unknown.`, {
			inLog: false,
		});
	}
	for (const { text } of facts.leftOut.all) warn(sentence(text));
	if (directory.failure === undefined) return;
	warn(sentence(`stations appear by ID: ${explained(directory.failure)}`));
}
