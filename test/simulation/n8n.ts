/**
 * n8n: its processes, what it publishes, and what it does with webhooks and polls. Its executions are in `executions.ts`.
 *
 * Facts: an unpublished webhook is a 404. Publishing calls `checkExists` of the webhook trigger and `poll()` of the polling
 * triggers, which is called again at their Poll Times, only in the main process. A new version does not wait for a poll of the old one. With the
 * durable scheduler, polls are as in `scheduler.ts`. Static data is saved at publication and with each
 * execution that a poll starts. A main that starts runs every execution that is stored and has not run, under its old ID; those
 * that ran in a process that died are crashed. SIGTERM: no new work, up to 30 s for what runs, then the exit.
 */
import type { INodeExecutionData } from 'n8n-workflow';
import { asText } from '../../lib/shared/values';
import type { Settings } from '../history/history';
import {
	executeContext,
	hookContext,
	pollContext,
	type PollingTrigger,
	webhookContext,
} from './contexts';
import { Executions } from './executions';
import { HostProcess } from './hostProcess';
import { Scheduler } from './scheduler';
import type { World } from './world';

const MINUTE_MS = 60_000;
const BOOT_MS = 6_000;
const ENDS_WITHIN_MS = 30_000;

export type Role = 'main' | 'webhook' | 'worker';

export interface N8nProcess {
	readonly role: Role;
	readonly host: HostProcess;
	/** It has booted, and is not ending. */
	isReady: boolean;
	/** The polls of the current publication. */
	publication: number;
}

export interface Delivery {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** It arrives at the URL of the other setting of "If the Execution Fails". */
	readonly isOtherUrl: boolean;
}

type Respond = (response: { status: number; body: string }) => void;

export class N8n {
	readonly executions: Executions;
	/** Undefined if polls belong to the process that leads. */
	readonly #scheduler: Scheduler | undefined;
	/** The settings of the published version; undefined if the workflow is not published. */
	published: Settings | undefined;
	/** The newest settings. */
	settings: Settings;
	/** As saved. */
	staticData = '{}';
	readonly processes: N8nProcess[] = [];
	readonly #world: World;
	#names = 0;
	#publications = 0;
	#actions = 0;
	#polls = 0;
	/** The number of the published version. */
	version = 0;

	constructor(world: World) {
		this.#world = world;
		this.settings = world.scenario.settings;
		this.executions = new Executions(world, this);
		this.#scheduler = world.scenario.isScheduled ? new Scheduler(world, this) : undefined;
	}

	/** The number of a poll that begins. */
	nextPoll(): number {
		return ++this.#polls;
	}

	/** All processes of the scenario, at once. */
	start(): void {
		const { mode, workers, isScheduled } = this.#world.scenario;
		this.boot('main');
		if (mode === 'regular') return;
		// With a scheduler, more than one polls.
		if (isScheduled === true) this.boot('main', true);
		this.boot('webhook');
		for (let n = 0; n < workers; n += 1) this.boot('worker');
	}

	boot(role: Role, isSecond = false): N8nProcess {
		const command = role === 'main' ? 'start' : role;
		const host = new HostProcess(this.#world, `${role}-${++this.#names}`, command);
		const process: N8nProcess = { role, host, isReady: false, publication: 0 };
		this.processes.push(process);
		host.after(BOOT_MS, () => {
			process.isReady = true;
			if (role === 'worker') this.executions.work(process);
			if (role !== 'main') return;
			this.executions.recover(process, isSecond);
			if (!isSecond && this.published !== undefined) this.#activate(process, 'init');
		});
		return process;
	}

	living(role?: Role): N8nProcess[] {
		return this.processes.filter(
			(each) => each.host.isAlive && (role === undefined || each.role === role),
		);
	}

	/** Those that no SIGTERM has reached. */
	staying(role: Role): N8nProcess[] {
		return this.living(role).filter(({ host }) => !host.isEnding);
	}

	/** The main that polls: the first one. */
	get leader(): N8nProcess | undefined {
		return this.living('main').find(({ isReady }) => isReady);
	}

	/** The process that gets a request; undefined if nothing accepts it. */
	receiver(choice: number): HostProcess | undefined {
		const ready = this.processes.filter(
			({ role, host, isReady }) => isReady && role !== 'worker' && host.isAlive,
		);
		return ready[Math.floor(choice * ready.length)]?.host;
	}

	kill(process: N8nProcess): void {
		process.isReady = false;
		process.host.kill();
		this.executions.processDied(process.host);
	}

	/** SIGTERM. */
	terminate(process: N8nProcess): void {
		process.isReady = false;
		process.host.terminate();
		const since = this.#world.clock.now;
		const look = () => {
			const isOver = this.#world.clock.now - since >= ENDS_WITHIN_MS;
			if (this.executions.runsIn(process.host) && !isOver) {
				process.host.after(500, look);
				return;
			}
			process.host.exit();
			this.executions.processDied(process.host);
		};
		process.host.after(1_500, look);
	}

	publish(): void {
		this.published = this.settings;
		this.version += 1;
		this.#world.note({ what: 'published', settings: this.settings });
		const { leader } = this;
		if (leader) this.#activate(leader, 'activate');
	}

	unpublish(): void {
		this.published = undefined;
		this.#scheduler?.remove();
		this.#publications += 1;
		this.#world.note({ what: 'unpublished' });
	}

	/** A request to the webhook. */
	receive(host: HostProcess, delivery: Delivery, respond: Respond): { hangUp(): void } {
		const response = new Response(respond);
		host.after(this.#world.random.whole(`network ${host.name}`, 1, 40), () => {
			void this.#receive(host, delivery, response).catch((error: unknown) => {
				this.#world.crash(error);
			});
		});
		// A process that dies closes its connections.
		const look = () => {
			if (response.isOver) return;
			if (!host.isAlive) response.lose();
			else this.#world.clock.after(1_000, look);
		};
		this.#world.clock.after(1_000, look);
		return {
			hangUp: () => {
				host.after(1, () => {
					response.hangUp();
				});
			},
		};
	}

	/** Runs an operation of the action node in the main process. Undefined if it failed. */
	async act(
		parameters: Readonly<Record<string, unknown>>,
	): Promise<{ items?: INodeExecutionData[]; error?: string }> {
		const host = this.leader?.host;
		if (host === undefined) return { error: 'n8n is down' };
		const context = executeContext(this.#world, host, {
			trigger: 'action',
			...{ mode: 'trigger', id: `action-${++this.#actions}`, items: [{ json: {} }] },
			parameters: { resource: 'event', ...parameters },
		});
		try {
			const [items = []] = await new host.nodes.AssetService().execute.call(context);
			return { items };
		} catch (error) {
			return { error: messageOf(error) };
		}
	}

	#activate(process: N8nProcess, mode: 'init' | 'activate'): void {
		const publication = ++this.#publications;
		process.publication = publication;
		void this.#activateNow(process, mode, publication).catch((error: unknown) => {
			this.#world.crash(error);
		});
	}

	async #activateNow(
		process: N8nProcess,
		mode: 'init' | 'activate',
		publication: number,
	): Promise<void> {
		const { scenario, note } = this.#world;
		const { host } = process;
		const isCurrent = () => this.published !== undefined && this.#publications === publication;
		const settings = this.published;
		if (settings === undefined) return;
		try {
			const { webhookMethods } = new host.nodes.AssetServiceTrigger();
			if (scenario.hasWebhook) {
				await webhookMethods.default.checkExists.call(
					hookContext(this.#world, host, { settings, mode }),
				);
			}
		} catch (error) {
			note({ what: 'threw', by: host.name, where: 'checkExists', message: messageOf(error) });
		}
		if (this.#scheduler !== undefined) {
			// The jobs outlive the process.
			if (mode === 'init' && this.#scheduler.isRegistered) return;
			while (!(await succeeds(this.#scheduler.register(process)))) {
				await host.sleep(30_000);
				if (!isCurrent()) return;
			}
			return;
		}
		const data = JSON.parse(this.staticData) as Record<string, Record<string, unknown>>;
		const triggers: PollingTrigger[] = [
			...(scenario.hasPoll ? (['poll'] as const) : []),
			...(scenario.hasStation ? (['station'] as const) : []),
		];
		await Promise.all(
			triggers.map(async (trigger) => {
				await this.#pollAlways(host, { trigger, mode, settings, data, isCurrent });
			}),
		);
	}

	/** Polls as long as the publication lasts. */
	async #pollAlways(
		host: HostProcess,
		{
			trigger,
			mode,
			settings,
			data,
			isCurrent,
		}: {
			trigger: PollingTrigger;
			mode: 'init' | 'activate';
			settings: Settings;
			/** The static data of the workflow, by node. */
			data: Record<string, Record<string, unknown>>;
			isCurrent: () => boolean;
		},
	): Promise<void> {
		const { scenario, note } = this.#world;
		const save = () => {
			this.staticData = JSON.stringify(data);
		};
		const emit = (
			items: INodeExecutionData[],
			done?: { resolve: (run: unknown) => void; reject: (error: Error) => void },
		) => {
			save();
			void this.executions.fromPoll(host, trigger, items, { settings }).then(
				(run) => done?.resolve(run),
				(error: unknown) => done?.reject(error as Error),
			);
		};
		const ofNode = (data[trigger] ??= {});
		const node =
			trigger === 'poll'
				? new host.nodes.AssetServicePollTrigger()
				: new host.nodes.AssetServiceStationTrigger();
		const { version } = this;
		const pollOnce = async (): Promise<boolean> => {
			const poll = this.nextPoll();
			const context = pollContext(this.#world, host, {
				...{ trigger, poll, settings, mode, data: ofNode, emit },
			});
			const by = { by: host.name, ...(trigger === 'station' && { trigger, version, poll }) };
			if (trigger === 'station') note({ what: 'polling', by: host.name, trigger, version, poll });
			try {
				await node.poll.call(context);
				note({ what: 'polled', ...by });
				return true;
			} catch (error) {
				note({ what: 'polled', ...by, error: messageOf(error) });
				return false;
			}
		};
		// The publication fails if the first poll does. n8n tries again, at its start as after it.
		while (!(await pollOnce())) {
			await host.sleep(30_000);
			if (!isCurrent()) return;
		}
		save();
		const again = () => {
			host.after(scenario.pollMinutes * MINUTE_MS, () => {
				if (!isCurrent()) return;
				again();
				void pollOnce();
			});
		};
		again();
	}

	async #receive(host: HostProcess, delivery: Delivery, response: Response): Promise<void> {
		const { published: settings } = this;
		if (settings === undefined || !this.#world.scenario.hasWebhook) {
			response.status(404).json({ message: 'not registered' });
			return;
		}
		const isEarly = (settings.acknowledge === 'stored') !== delivery.isOtherUrl;
		const context = webhookContext(this.#world, host, { settings, delivery, response, isEarly });
		let result;
		try {
			result = await new host.nodes.AssetServiceTrigger().webhook.call(context);
		} catch (error) {
			this.#world.note({
				what: 'threw',
				by: host.name,
				where: 'webhook',
				message: messageOf(error),
			});
			response.status(500).json({ message: 'Error' });
			return;
		}
		if (result.noWebhookResponse === true) return;
		const [items = []] = result.workflowData ?? [];
		await this.executions.fromWebhook(host, { items, settings, response, isEarly });
	}
}

const succeeds = (work: Promise<void>): Promise<boolean> =>
	work.then(
		() => true,
		() => false,
	);

export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** The response of a request, as Express has it. */
export class Response {
	statusCode = 200;
	destroyed = false;
	headersSent = false;
	/** The sender has it, or has gone. */
	isOver = false;
	readonly #respond: Respond;
	readonly #closing: (() => void)[] = [];

	constructor(respond: Respond) {
		this.#respond = respond;
	}

	end(body: unknown = ''): this {
		if (this.headersSent) return this;
		this.headersSent = true;
		if (!this.isOver) this.#respond({ status: this.statusCode, body: statusIn(body) });
		this.isOver = true;
		return this;
	}

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	json(body: unknown): this {
		return this.end(JSON.stringify(body));
	}

	set(): this {
		return this;
	}

	setHeader(): this {
		return this;
	}

	removeHeader(): this {
		return this;
	}

	once(_event: string, listener: () => void): void {
		this.#closing.push(listener);
	}

	off(_event: string, listener: () => void): void {
		const index = this.#closing.indexOf(listener);
		if (index >= 0) this.#closing.splice(index, 1);
	}

	/** The sender has gone; the process learns it. */
	hangUp(): void {
		if (this.isOver) return;
		this.isOver = true;
		this.destroyed = true;
		for (const listener of this.#closing.splice(0)) listener();
	}

	/** The process has gone. */
	lose(): void {
		if (!this.isOver) this.#respond({ status: 0, body: 'connection lost' });
		this.isOver = true;
	}
}

/** `{ status }` in a body of ours; otherwise nothing. */
function statusIn(body: unknown): string {
	const parsed: unknown = typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : {};
	return asText((parsed as Record<string, unknown>)['status']);
}
