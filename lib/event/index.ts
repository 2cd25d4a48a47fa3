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
	BATCH_SIZE,
	DEFAULT_BATCH_SIZE,
	EVENT_TYPES,
	eventTypeFilter,
	isWanted,
	MAX_BATCH_BYTES,
	MAX_BATCH_SIZE,
	notApplied,
	type NumberSetting,
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
