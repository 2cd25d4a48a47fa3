/** A node that sends requests like the HTTP Request node with a predefined credential, in both of its ways. */
import { NodeConnectionTypes, type IHttpRequestOptions, type INodeType } from 'n8n-workflow';

export const requester = (
	way: 'requestWithAuthentication' | 'httpRequestWithAuthentication',
	options: IHttpRequestOptions,
): INodeType => ({
	description: {
		displayName: 'Requester',
		name: 'requester',
		group: ['input'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'assetServiceApi', required: true }],
		properties: [],
	},
	async execute() {
		const helper = this.helpers[way].bind(this);
		const answer = (await helper('assetServiceApi', { ...options })) as never;
		return [[{ json: answer, pairedItem: { item: 0 } }]];
	},
});
