/** The command line of the stand-alone simulator: its options, and what it prints. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { createRandom } from './data/random';
import { createDisorder } from './delivery/disorder';
import { introduction } from './introduction';
import { type Profile, PROFILES, type Simulator } from './shared/types';
import { startSimulator } from './simulator';

interface CliOptions {
	port: number;
	profile: Profile;
	assets: number;
	events: number;
	every?: number;
	endpointUrl?: string;
	signingSecret?: string;
	clientId?: string;
	clientSecret?: string;
	tokenLifetime: number;
	retryTimeScale: number;
}

export interface RunningCli {
	stop(): Promise<void>;
}

/** Starts what the arguments ask for. Wrong arguments end the process with a message, as commander does it. */
export async function runCli(
	argv: readonly string[],
	print: (line: string) => void,
): Promise<RunningCli> {
	const options = command().parse(argv, { from: 'user' }).opts<CliOptions>();
	const simulator = await startSimulator({
		...options,
		tokenLifetimeSeconds: options.tokenLifetime,
	});
	try {
		const endpoint = simulator.createEndpoint({
			// Without a receiver of its own the endpoint gets the simulator's: its secret can be used already,
			// and the endpoint be moved once the receiver's address is known.
			url: options.endpointUrl ?? `${simulator.baseUrl}/_simulator/receiver`,
			secret: options.signingSecret,
		});
		print('The simulated Asset and Webhook Service is running.\n');
		for (const line of introduction(simulator, endpoint)) print(line);
		print('More of it in simulator/README.md. Ctrl-C ends it.');
	} catch (error) {
		await simulator.stop();
		throw error;
	}
	const emit = emitterFor(simulator, options.profile, print);
	const emitting = options.every && setInterval(() => void emit(), options.every * 1000);
	return {
		stop: async () => {
			clearInterval(emitting);
			await simulator.stop();
		},
	};
}

function command(): Command {
	return new Command('npm run simulator --')
		.description('A server on 127.0.0.1 that behaves like the Asset and Webhook Service.')
		.option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 0)
		.option(
			'--endpoint-url <url>',
			'address that deliveries are sent to, such as a webhook URL of n8n',
		)
		.addOption(
			new Option('--profile <name>', 'events as documented, or as stations in the field send them')
				.choices(PROFILES)
				.default(PROFILES[0]),
		)
		.option('--every <seconds>', 'send an event every so many seconds', number(0.1, 86_400))
		.option('--assets <count>', 'how many assets there are', wholeNumber(0, 100_000), 230)
		.option(
			'--events <count>',
			'how many events the list holds at the start',
			wholeNumber(0, 8000),
			25,
		)
		.option('--client-id <text>', 'client ID; made up unless given')
		.option('--client-secret <text>', 'client secret; made up unless given')
		.option('--signing-secret <text>', "the endpoint's signing secret; made up unless given")
		.option('--token-lifetime <seconds>', 'life of an access token', wholeNumber(1, 86_400), 3600)
		.option(
			'--retry-time-scale <factor>',
			'multiplies the waits of 1 to 48 hours between attempts',
			number(0, 1),
			1,
		);
}

function number(lowest: number, highest: number): (text: string) => number {
	return (text) => {
		const value = Number(text);
		if (text.trim() !== '' && value >= lowest && value <= highest) return value;
		throw new InvalidArgumentError(`A number from ${lowest} to ${highest} is needed.`);
	};
}

function wholeNumber(lowest: number, highest: number): (text: string) => number {
	const parse = number(lowest, highest);
	return (text) => {
		const value = parse(text);
		if (Number.isInteger(value)) return value;
		throw new InvalidArgumentError('A whole number is needed.');
	};
}

/** Makes an event at each call, and sends it: in the field profile some late, and some twice. */
function emitterFor(
	simulator: Simulator,
	profile: Profile,
	print: (line: string) => void,
): () => Promise<void> {
	const disorder = createDisorder<string>(createRandom(1));
	return async () => {
		const made = await simulator.emit({}, { deliver: false });
		const due = profile === 'field' ? disorder.next(made.event.id) : [made.event.id];
		for (const id of due) {
			const { event, responses } = await simulator.emit({ id });
			const answers = responses.map(({ status, error }) => error ?? String(status));
			print(`Sent ${event.type} ${event.id}: ${answers.join(', ') || 'no endpoint'}`);
		}
	};
}
