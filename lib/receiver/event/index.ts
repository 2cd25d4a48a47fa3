/** What an event is, wherever it comes from. */
export { eventTypeFilter, type EventTypeFilter } from './eventTypes';
export { eventFromList, eventIdOf, parseEvent, type ParsedEvent } from './parseEvent';
