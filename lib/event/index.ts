/** What an event is, whether delivered or listed. */
export { CONDITION_FIELDS, type Conditions, OTHER_FIELD, readConditions } from './conditions';
export { EVENT_TYPES, eventTypeFilter, OTHER_EVENT_TYPES } from './eventTypes';
export { Fields } from './fields';
export { type Item, withReplay } from './item';
export { createdAt, oldestFirst } from './order';
export { OPERATORS } from './operators';
export {
	DEFAULT_BATCH_SIZE,
	MAX_BATCH_BYTES,
	MAX_BATCH_SIZE,
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	type ReadParameter,
	readWanted,
} from './parameters';
export { Survey } from './survey';
export { isWanted, type Wanted } from './wanted';
export { eventFromList, eventIdOf, parseEvent, type ParsedEvent } from './parseEvent';
