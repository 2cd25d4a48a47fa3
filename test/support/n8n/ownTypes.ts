/** The node types of the package, as an n8n that has loaded it names them. */
import type { N8nClient } from './rest';

export const OWN_TYPES = [
	'n8n-nodes-asset-service.assetService',
	'n8n-nodes-asset-service.assetServicePollTrigger',
	'n8n-nodes-asset-service.assetServiceStationTrigger',
	'n8n-nodes-asset-service.assetServiceTool',
	'n8n-nodes-asset-service.assetServiceTrigger',
];

/** Those that n8n has loaded, sorted: `OWN_TYPES`, if it has found the package. */
export async function ownTypes(client: N8nClient): Promise<string[]> {
	const ours = (await client.nodeTypes()).filter((type) => type.includes('asset-service'));
	return [...new Set(ours.map((type) => type.replace(/@.*/, '')))].sort();
}
