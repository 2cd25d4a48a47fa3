/** What an event is, whether delivered or listed. */
export { CONDITION_FIELDS, OPERATORS, OTHER_FIELD, readConditions } from './conditions';
export {
	createdAt,
	type EventForm,
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
	BATCH_SIZE,
	EVENT_TYPES,
	eventTypeFilter,
	isWanted,
	MAX_BATCH_BYTES,
	notApplied,
	OTHER_EVENT_TYPES,
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	readNumber,
	readOption,
	type ReadParameter,
	readWanted,
	type Wanted,
} from './wanted';
