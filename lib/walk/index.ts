/** The walk through a list of events: the exports that its readers use. */
export { type Listed, type Reading, walk, type Walked } from './walk';
