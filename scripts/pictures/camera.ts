/** Takes pictures of the editor: of a canvas, cropped to its content, or of a panel. Refuses to show an error. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../test/support/wait';

export const PICTURES = join(__dirname, '..', '..', 'docs', 'pictures');

/** Keeps pages with many pictures fast. */
const MAX_BYTES = 150_000;
/** CSS pixels above and below the content of a canvas. */
const MARGIN = 24;

/** Every canvas has the same width, about that of a page, so nodes have the same size. Panels need more. */
const CANVAS_WINDOW = { width: 1000, height: 700 };
const ROOMY_WINDOW = { ...CANVAS_WINDOW, height: 900 };
const PANEL_WINDOW = { width: 1400, height: 830 };

export interface Camera {
	/** The nodes of the open workflow, as large as the window allows. */
	takeCanvas(name: string): Promise<void>;
	/** The whole element with this test ID, in a window of this size. */
	takePanel(
		name: string,
		testId: string,
		size?: { readonly width?: number; readonly height?: number },
	): Promise<void>;
	/** The part of the page with the elements of these test IDs, to embed in another picture. */
	lookAt(...testIds: string[]): Promise<string>;
	/** A separate page, as high as its content. */
	takePage(name: string, html: string, width: number): Promise<void>;
}

/** Notifications, hover hints and the buttons around the canvas. */
const HIDDEN = [
	'.el-notification',
	'[data-test-id=canvas-node-toolbar]',
	'[data-test-id=canvas-handle-plus-wrapper]',
	'[data-test-id^=execute-workflow-button]',
	':has(> * > * > [data-test-id=execute-workflow-button])',
	'[data-test-id=canvas-controls]',
	'[data-test-id=canvas-minimap]',
	// Its dots overlap the labels.
	'[data-test-id=canvas-background]',
	'[data-test-id=logs-panel]',
	'[data-test-id=node-creator-plus-button]',
	'[data-test-id=command-bar-button]',
	'[data-test-id=add-sticky-button]',
	'[data-test-id=toggle-focus-panel-button]',
	'[data-test-id=instance-ai-canvas-action-button]',
	'#header',
	'#sidebar',
	'[data-test-id=ask-assistant-chat]',
	'[data-test-id=credential-edit-instance-ai-help-button]',
	'[data-test-id=floating-node]',
	'[data-test-id=node-feature-request]',
	'[data-reka-popper-content-wrapper]',
	'.el-popper',
];

/** Visible behind the round corners of a panel. */
const BACKDROPS = ['[data-test-id=ndv-backdrop]', '.el-overlay'];
const STYLE = `${HIDDEN.join(', ')} { display: none !important; }
${BACKDROPS.join(', ')} { background: white !important; }
[data-test-id=editCredential-modal] { height: auto !important; max-height: none !important; }`;

/** Marks of a node that does not work or is not set up. */
const ISSUES = ['node-issues', 'node-setup-required', 'canvas-node-status-warning'];

/** Signs of mistakes, local addresses and secrets. */
const UNWANTED = /.*(\bundefined\b|\[object Object\]|127\.0\.0\.1|localhost|whsec_).*/;

export function createCamera(page: Page): Camera {
	const take = async (name: string, subject: Locator, shot: Promise<Buffer>): Promise<void> => {
		const picture = await shot;
		await refuseErrors(subject, name);
		if (picture.length > MAX_BYTES)
			throw new Error(`${name}.png has ${picture.length} bytes; ${MAX_BYTES} are allowed.`);
		mkdirSync(PICTURES, { recursive: true });
		writeFileSync(join(PICTURES, `${name}.png`), picture);
	};

	return {
		async takeCanvas(name) {
			await page.setViewportSize(CANVAS_WINDOW);
			await settle(page);
			// Not with the mouse, since the button is hidden.
			await page.getByTestId('zoom-to-fit').dispatchEvent('click');
			await settle(page);
			// n8n ignores the labels when it fits the nodes into the window.
			await page.setViewportSize(ROOMY_WINDOW);
			await settle(page);
			const content = await contentBox(page);
			const [right, bottom] = [content.x + content.width, content.y + content.height];
			const { width, height } = ROOMY_WINDOW;
			const isCut =
				content.x < 0 || right > width || content.y < MARGIN || bottom > height - MARGIN;
			if (isCut || (await cutsANote(page))) throw new Error(`${name}.png would cut something off.`);
			const y = Math.floor(content.y - MARGIN);
			const clip = { x: 0, y, width, height: Math.ceil(bottom + MARGIN) - y };
			await take(
				name,
				page.getByTestId('canvas'),
				page.screenshot({ clip, animations: 'disabled' }),
			);
		},

		async takePanel(name, testId, size) {
			await page.setViewportSize({ ...PANEL_WINDOW, ...size });
			await settle(page);
			const panel = page.getByTestId(testId);
			// One pixel per CSS pixel is enough: panels are wider than the pages that show them.
			await take(name, panel, panel.screenshot({ animations: 'disabled', scale: 'css' }));
		},

		async lookAt(...testIds) {
			await settle(page);
			const subjects = testIds.map((testId) => page.getByTestId(testId).first());
			for (const subject of subjects) await refuseErrors(subject, testIds.join());
			const clip = around(await Promise.all(subjects.map((subject) => subject.boundingBox())));
			const picture = await page.screenshot({ clip, animations: 'disabled' });
			return `data:image/png;base64,${picture.toString('base64')}`;
		},

		async takePage(name, html, width) {
			await page.setViewportSize({ width, height: ROOMY_WINDOW.height });
			await page.setContent(html);
			const body = page.locator('main');
			await take(name, body, body.screenshot({ scale: 'css' }));
		},
	};
}

/** Waits until nothing moves: two checks in a row are equal. */
async function settle(page: Page): Promise<void> {
	await page.addStyleTag({ content: STYLE });
	await page.mouse.move(0, 0);
	for (const focused of await page.locator(':focus').all()) await focused.blur();
	let before: Buffer = Buffer.alloc(0);
	await waitFor(
		async () => {
			const now = await page.screenshot({ scale: 'css' });
			const same = now.equals(before);
			before = now;
			return same;
		},
		{ what: 'the editor to be at rest', timeoutMs: 60_000, everyMs: 300 },
	);
}

interface Box {
	readonly x: number;
	readonly y: number;
	readonly width: number;
	readonly height: number;
}

/** The smallest box that contains all of them. */
function around(boxes: readonly (Box | null)[]): Box {
	const shown = boxes.flatMap((box) => (box && box.height > 0 ? [box] : []));
	const x = Math.min(...shown.map((box) => box.x));
	const y = Math.min(...shown.map((box) => box.y));
	const right = Math.max(...shown.map((box) => box.x + box.width));
	const bottom = Math.max(...shown.map((box) => box.y + box.height));
	return { x, y, width: right - x, height: bottom - y };
}

/** Positions of the nodes, their labels and the notes. */
async function contentBox(page: Page): Promise<Box> {
	const parts = await page.locator('.vue-flow__node, .vue-flow__node div:visible').all();
	return around(await Promise.all(parts.map((part) => part.boundingBox())));
}

/** Whether a note is too small for its text. */
async function cutsANote(page: Page): Promise<boolean> {
	for (const note of await page.getByTestId('sticky').all()) {
		const frame = await note.boundingBox();
		const text = await note.locator('p').last().boundingBox();
		if (frame && text && text.y + text.height > frame.y + frame.height) return true;
	}
	return false;
}

async function refuseErrors(subject: Locator, name: string): Promise<void> {
	for (const testId of ISSUES) {
		if ((await subject.getByTestId(testId).count()) > 0)
			throw new Error(`${name}.png would show a node that is not set up (${testId}).`);
	}
	const fields = await subject.locator('input:not([type=password]), textarea').all();
	const typed = await Promise.all(fields.map((field) => field.inputValue()));
	const found = UNWANTED.exec([await subject.innerText(), ...typed].join('\n'))?.[0];
	if (found !== undefined) throw new Error(`${name}.png would show “${found}”.`);
}
