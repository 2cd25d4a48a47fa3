/** The n8n editor in a real browser, signed in, with helpers to open workflows and the panels of their nodes. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Locator, type Page, selectors } from 'playwright-core';
import { waitFor } from '../wait';
import type { Owner } from './rest';

export interface Editor {
	/** For anything outside panels and forms, such as n8n's messages. */
	readonly page: Page;
	openWorkflow(id: string): Promise<void>;
	/** Opens a node's panel with a double click on the canvas and returns the panel. */
	openNode(name: string): Promise<Locator>;
	/** Closes the open panel. */
	closeNode(): Promise<void>;
	/** Opens the form of a credential, as a click in n8n's list does. */
	openCredential(id: string): Promise<CredentialForm>;
	/** Errors that the page has reported since it was opened. */
	readonly errors: readonly string[];
	close(): Promise<void>;
}

export interface CredentialForm {
	readonly form: Locator;
	/** Types texts into fields, by field name. */
	fill(values: Readonly<Record<string, string>>): Promise<void>;
	/** Saves the form, which makes n8n test it. */
	save(): Promise<void>;
	/** Waits until the form shows this text, unfolding the details of a failed test. */
	shows(text: string | RegExp): Promise<void>;
}

interface EditorOptions {
	readonly url: string;
	readonly owner: Pick<Owner, 'email' | 'password'>;
	/** CSS pixels of the window; 1400 by 900 by default. */
	readonly viewport?: { readonly width: number; readonly height: number };
	/** Pixels of a picture per CSS pixel; 1 by default. */
	readonly deviceScaleFactor?: number;
}

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The editor's code has several megabytes, and the machine may be busy. */
const WAIT_MS = 60_000;

/** If Chromium is not installed, rejects with an error that says what to do. */
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
		const editor: Editor = {
			page,
			errors,
			async openWorkflow(id) {
				await page.goto(`${url}/workflow/${id}`);
				await page.getByTestId('canvas-node').first().waitFor();
			},
			async openNode(name) {
				// If a failed test left it open, it would cover the canvas.
				if (await panel.isVisible()) await editor.closeNode();
				await page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
				await panel.waitFor();
				return panel;
			},
			async closeNode() {
				await panel.getByTestId('ndv-close-button').click();
				await panel.waitFor({ state: 'hidden' });
			},
			async openCredential(id) {
				await page.goto(`${url}/home/credentials/${id}`);
				const form = page.getByTestId('editCredential-modal');
				await form.waitFor();
				return credentialForm(form);
			},
			async close() {
				await browser.close();
			},
		};
		return editor;
	} catch (error) {
		await browser.close();
		throw error;
	}
}

function credentialForm(form: Locator): CredentialForm {
	return {
		form,
		async fill(values) {
			for (const [name, value] of Object.entries(values)) {
				await form.getByTestId(`parameter-input-${name}`).locator('input').first().fill(value);
			}
		},
		async save() {
			await form.getByTestId('credential-save-button').click();
		},
		async shows(text) {
			const shown = form.getByText(text).first();
			const details = form.getByText('More details').first();
			const look = async (): Promise<true | undefined> => {
				if (await shown.isVisible()) return true;
				// The message of the previous test may be about to disappear.
				if (await details.isVisible())
					await details.click({ timeout: 1_000 }).catch(() => undefined);
				return undefined;
			};
			await waitFor(look, { what: `the form to show ${String(text)}`, timeoutMs: WAIT_MS });
		},
	};
}

async function launch(): Promise<Browser> {
	const executablePath = CHROMIUM.find((path) => existsSync(path));
	if (!executablePath) {
		throw new Error('No Chromium is installed. On Debian: apt-get install chromium');
	}
	return await chromium.launch({
		executablePath,
		args: [
			// Chromium has no sandbox for root. Here it only loads the n8n that the test started.
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
