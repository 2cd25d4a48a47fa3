/** Follows a list of events: the exports that the polling triggers and the operations on events use. */
export { begin, follow, type Followed, type Source } from './follow';
export { advance, forgottenBy, type Memory, type Polled } from './memory';
export {
	placeOf,
	type Position,
	positionAt,
	positionShape,
	skippedTo,
	type Stretch,
	unreadFrom,
	unreadUpTo,
	withStretch,
} from './position';
export { type Listed, type OnPage, type WalkOptions, walk, type Walked } from './walk';
