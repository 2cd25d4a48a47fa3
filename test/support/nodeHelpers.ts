/** n8n's `NodeHelpers`, without the 250 ms that it gives a regular expression: on a busy machine, one can take as long to begin. */
import { NodeHelpers, setSafeRegexEngine } from 'n8n-workflow';

setSafeRegexEngine({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, replacement) =>
		input.replace(new RegExp(pattern, flags), replacement),
	matchAll: (pattern, input, flags) => [...input.matchAll(new RegExp(pattern, flags))],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});

export { NodeHelpers };
