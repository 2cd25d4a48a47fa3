/** The folder for files that outlive a checkout: the installed n8n and the packed package. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `$ASSET_SERVICE_CACHE`, otherwise `n8n-nodes-asset-service` in the user's cache folder. The folder need not exist yet. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
	if (env.ASSET_SERVICE_CACHE) return env.ASSET_SERVICE_CACHE;
	return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'n8n-nodes-asset-service');
}
