/** The n8n editor in a real browser, signed in, with helpers to open workflows and the panels of their nodes. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page, selectors } from 'playwright-core';
import type { Owner } from './rest';

export interface Editor {
	openWorkflow(id: string): Promise<void>;
	/** Opens a node's panel as a double click on the canvas does, and gives the panel. */
	openNode(name: string): Promise<Locator>;
	/** Closes the panel that is open. */
	closeNode(): Promise<void>;
	/** For what the helpers do not do. */
	readonly page: Page;
	/** What the page reported as errors since it was opened. */
	readonly errors: readonly string[];
	close(): Promise<void>;
}

interface EditorOptions {
	readonly url: string;
	readonly owner: Pick<Owner, 'email' | 'password'>;
	/** CSS pixels of the window; 1400 by 900 unless told. */
	readonly viewport?: { readonly width: number; readonly height: number };
	/** Pixels of a picture for each CSS pixel; 1 unless told. */
	readonly deviceScaleFactor?: number;
}

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The editor's code is several megabytes, and the machine may be busy. */
const WAIT_MS = 60_000;

/** Rejects with a way out when no Chromium is installed. */
export async function openEditor(options: EditorOptions): Promise<Editor> {
	const { url, owner, viewport = { width: 1400, height: 900 }, deviceScaleFactor = 1 } = options;
	const browser = await launch();
	try {
		const page = await browser.newPage({ viewport, deviceScaleFactor });
		page.setDefaultTimeout(WAIT_MS);
		const errors: string[] = [];
		page.on('pageerror', (error) => errors.push(error.message));
		await signIn(page, url, owner);
		const panel = page.getByTestId('ndv');
		return {
			page,
			errors,
			async openWorkflow(id) {
				await page.goto(`${url}/workflow/${id}`);
				await page.getByTestId('canvas-node').first().waitFor();
			},
			async openNode(name) {
				await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
				await panel.waitFor();
				return panel;
			},
			async closeNode() {
				await page.keyboard.press('Escape');
				await panel.waitFor({ state: 'hidden' });
			},
			async close() {
				await browser.close();
			},
		};
	} catch (error) {
		await browser.close();
		throw error;
	}
}

async function launch(): Promise<Browser> {
	const executablePath = CHROMIUM.find((path) => existsSync(path));
	if (!executablePath) {
		throw new Error('No Chromium is installed. On Debian: apt-get install chromium');
	}
	return await chromium.launch({
		executablePath,
		args: [
			// Chromium has no sandbox for root, and it loads nothing here but the n8n that the test started.
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

async function signIn(page: Page, url: string, owner: EditorOptions['owner']): Promise<void> {
	// n8n's name for the attribute; Playwright's own default is `data-testid`.
	selectors.setTestIdAttribute('data-test-id');
	await page.goto(`${url}/signin`);
	await page.locator('[name=emailOrLdapLoginId]').fill(owner.email);
	await page.locator('[name=password]').fill(owner.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
}
