/** What an event is, wherever it comes from. */
export { type Conditions, OTHER_FIELD, readConditions } from './conditions';
export { eventTypeFilter, type EventTypeFilter, OTHER_EVENT_TYPES } from './eventTypes';
export { createdAt, oldestFirst } from './order';
export { unwanted, type Wanted } from './wanted';
export { eventFromList, eventIdOf, parseEvent, type ParsedEvent } from './parseEvent';
