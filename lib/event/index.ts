/** What an event is, whether delivered or listed. */
export {
	CONDITION_FIELDS,
	type Conditions,
	OPERATORS,
	OTHER_FIELD,
	readConditions,
} from './conditions';
export {
	createdAt,
	eventFromList,
	eventIdOf,
	type Item,
	oldestFirst,
	parseEvent,
	type ParsedEvent,
	withReplay,
} from './event';
export { Fields, Survey } from './survey';
export {
	DEFAULT_BATCH_SIZE,
	EVENT_TYPES,
	eventTypeFilter,
	isWanted,
	MAX_BATCH_BYTES,
	MAX_BATCH_SIZE,
	OTHER_EVENT_TYPES,
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	readOption,
	type ReadParameter,
	readWanted,
	type Wanted,
} from './wanted';
