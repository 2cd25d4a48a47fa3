/** Follows a list of events: the exports that the polling triggers and the operations on events use. */
export { Budget } from './budget';
export { begin, DISORDER_MS, follow, readOn, type Source, UntimedError } from './follow';
export {
	isUnread,
	LOOKS,
	type Position,
	positionAt,
	type Stretch,
	unreadFrom,
	withStretch,
} from './position';
export {
	advance,
	forgottenBy,
	type Memory,
	type Polled,
	type Polling,
	type PollOutcome,
	readSaved,
	type Saved,
	savedFields,
	writeSaved,
} from './saved';
export { type Listed, type OnPage, type WalkOptions, walk } from './walk';
