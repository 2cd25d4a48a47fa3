/** The setting of the pictures: a real n8n with the packed package, the simulated service behind public URLs, and the editor. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '../../simulator';
import type { Log } from '../../test/support/log';
import { type Editor, openEditor } from '../../test/support/n8n/browser';
import { apiCredential, signingCredential } from '../../test/support/n8n/credentials';
import { example } from '../../test/support/n8n/examples';
import type { Credential, Workflow } from '../../test/support/n8n/responses';
import { createWorld, type World } from '../../test/support/n8n/world';
import { PUBLIC, publish } from './publicService';

/** Signs the deliveries in the pictures; n8n shows it as dots. */
export const SIGNING_SECRET = 'whsec_0123456789abcdef';

/** Settings of n8n's own nodes in the examples, so that the canvas shows none of them as incomplete. */
const OTHERS = [
	{ name: 'Model provider', type: 'openAiApi', data: { apiKey: 'key' } },
	{
		name: 'Mail server',
		type: 'smtp',
		data: { host: 'smtp.example.com', port: 465, secure: true },
	},
	{
		name: 'Operators',
		type: 'httpBasicAuth',
		data: { user: 'operator', password: 'Operators4Events' },
	},
	{
		name: 'n8n',
		type: 'n8nApi',
		data: { apiKey: 'n8n_api_0', baseUrl: 'https://n8n.example.com/api/v1' },
	},
];

export interface Studio {
	readonly world: World;
	readonly editor: Editor;
	readonly simulator: Simulator;
	readonly api: Credential;
	readonly signing: Credential;
	/** Creates a workflow from an example, with all credentials set. */
	importExample(file: string): Promise<Workflow>;
	close(): Promise<void>;
}

export async function openStudio(log: Log): Promise<Studio> {
	const endings: (() => unknown)[] = [];
	const close = async (): Promise<void> => {
		// Newest first, so each is removed before the ones it depends on.
		for (let end = endings.pop(); end; end = endings.pop()) await end();
	};
	try {
		return { ...(await setUp(log, endings)), close };
	} catch (error) {
		await close();
		throw error;
	}
}

async function setUp(log: Log, endings: (() => unknown)[]): Promise<Omit<Studio, 'close'>> {
	const folder = mkdtempSync(join(tmpdir(), 'asset-service-pictures-'));
	endings.push(() => {
		rmSync(folder, { recursive: true, force: true });
	});
	const simulator = await startSimulator({ clientId: 'n8n-production', audience: PUBLIC.audience });
	endings.push(() => simulator.stop());
	const service = await publish(simulator, folder);
	endings.push(() => {
		service.stop();
	});
	const world = await createWorld({ env: service.env, log });
	endings.push(() => world.dispose());

	const { client } = world;
	const api = await client.createCredential({
		...apiCredential({ ...simulator, ...PUBLIC }),
		name: 'Asset Service',
	});
	const signing = await client.createCredential({
		...signingCredential(SIGNING_SECRET),
		name: 'Asset Service endpoint',
	});
	const others = await Promise.all(OTHERS.map((content) => client.createCredential(content)));

	log('Opening the editor ...');
	const editor = await openEditor({ ...world, deviceScaleFactor: 1.25 });
	endings.push(() => editor.close());
	return {
		world,
		editor,
		simulator,
		api,
		signing,
		async importExample(file) {
			return await client.importWorkflow(example(file), [api, signing, ...others]);
		},
	};
}
