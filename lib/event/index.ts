/** What an event is, whether delivered or listed. */
export { CONDITION_FIELDS, type Conditions, OTHER_FIELD, readConditions } from './conditions';
export { EVENT_TYPES, eventTypeFilter, OTHER_EVENT_TYPES } from './wanted';
export { Fields } from './survey';
export { type Item, withReplay } from './event';
export { createdAt, oldestFirst } from './event';
export { OPERATORS } from './conditions';
export {
	DEFAULT_BATCH_SIZE,
	MAX_BATCH_BYTES,
	MAX_BATCH_SIZE,
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	readOption,
	type ReadParameter,
	readWanted,
} from './wanted';
export { Survey } from './survey';
export { isWanted, type Wanted } from './wanted';
export { eventFromList, eventIdOf, parseEvent, type ParsedEvent } from './event';
