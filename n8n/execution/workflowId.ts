/** The ID of a workflow as a user enters it. */

/** The ID in the URL of a workflow's editor; any other text is the ID itself. */
export function workflowIdIn(idOrUrl: string): string {
	return /\/workflow\/([^/?#]+)/.exec(idOrUrl)?.[1] ?? idOrUrl;
}
