/** The fields by which Reconcile and Replay select events. They share them, so that n8n keeps the values when the operation changes. */
import type { INodeProperties } from 'n8n-workflow';
import { STATES } from '../../../../lib/accounts';
import {
	createdAt,
	eventTypeFilter,
	type ParsedEvent,
	readConditions,
	Survey,
} from '../../../../lib/event';
import { asTexts } from '../../../../lib/shared/values';
import { array, string, union, unknown } from '../../../../lib/vendor/zod';
import { checkConditions, conditionsPropertyFor } from '../../../../n8n/fields/conditions';
import { eventTypeProperties } from '../../../../n8n/fields/eventTypeProperties';
import {
	eventTypesOf,
	hiddenOptions,
	type InputItem,
	parameter,
	parameterError,
	checked,
	timeField,
	createdAfterOf,
	createdBeforeOf,
} from '../../shared/operation';

const DAYS_BACK = 1;

type SelectableState = (typeof STATES)[number];

const ABOUT_STATES: Readonly<Record<SelectableState, string>> = {
	ignored: 'No trigger of the workflow wants it, so it is only listed if selected here',
	missing: 'It never arrived, or n8n could not store its execution',
	pending: 'n8n is storing its execution right now',
	stored: 'Its execution is stored and has not started, or the event will start again',
	running: 'Its execution has started',
	asleep: 'Its execution sleeps in a Wait node',
	interrupted: 'Its execution started, and n8n stopped or lost it',
	failed: 'Its execution ended with an error or was stopped',
	done: 'An execution has succeeded',
	begun: 'An execution has started, and this version of n8n does not report how it ends',
};

const statesField: INodeProperties = {
	displayName: 'States',
	name: 'states',
	type: 'multiOptions',
	options: [...STATES].sort().map((value) => ({
		name: value.charAt(0).toUpperCase() + value.slice(1),
		value,
		description: ABOUT_STATES[value],
	})),
	default: [],
	description: 'Only events in these states',
	hint: 'Leave empty to reconcile events in any state but ignored, or to replay those that are failed, interrupted or missing',
};

/** The same objects for both operations: `properties.ts` shows each of them for both. */
export const selectionFields: readonly INodeProperties[] = [
	...eventTypeProperties({
		description: 'Only events of these types, among those that the triggers of the workflow want',
		hint: 'Leave empty for all event types that the triggers want',
	}),
	{
		...conditionsPropertyFor('poll'),
		description: 'Only events that also meet all these conditions',
	},
	statesField,
	timeField('createdAfter', {
		description: 'Only events created at this time or later',
		hint: 'Leave empty for the last 24 hours',
	}),
	timeField('createdBefore', { description: 'Only events created before this time' }),
	hiddenOptions,
];

export interface Selection {
	/** In Unix milliseconds. */
	readonly createdAfter: number;
	/** The same; undefined for now. */
	readonly createdBefore: number | undefined;
	/** The states that were selected; undefined for none. */
	readonly states: ReadonlySet<SelectableState> | undefined;
	/** Inspects the events of the time range: their types and conditions. */
	readonly survey: Survey;
	/** Whether the event is in the time range, of a wanted type, and meets the conditions. */
	readonly matches: (event: ParsedEvent) => boolean;
}

/** @throws {NodeOperationError} for a value that a user has to correct, and for conditions that no event can meet. */
export function selectionOf(item: InputItem): Selection {
	const isWantedType = eventTypeFilter(eventTypesOf(item, 'eventTypes'));
	const conditions = readConditions(parameter(item, 'conditions', unknown(), {}));
	checkConditions(item.context.getNode(), conditions);
	const createdAfter = createdAfterOf(item, DAYS_BACK, Date.now());
	const createdBefore = createdBeforeOf(item);
	const survey = new Survey({ isWantedType, conditions });
	// An event without a time may be in the range.
	const isInTime = (event: ParsedEvent) => {
		const at = createdAt(event);
		return at === undefined || (at >= createdAfter && at < (createdBefore ?? Infinity));
	};
	return {
		createdAfter,
		createdBefore,
		states: statesOf(item),
		survey,
		matches: (event) => isInTime(event) && survey.inspect(event),
	};
}

function statesOf(item: InputItem): Set<SelectableState> | undefined {
	const texts = asTexts(checked(item, 'states', 'States', union([string(), array(unknown())]), []))
		.map((text) => text.trim().toLowerCase())
		.filter((text) => text !== '');
	const states = texts.map((text) => {
		const state = STATES.find((known) => known === text);
		if (state !== undefined) return state;
		throw parameterError(item, `'States' has no '${text}'`, `Use one of ${STATES.join(', ')}.`);
	});
	return states.length > 0 ? new Set(states) : undefined;
}
