/** A mail server on 127.0.0.1 that keeps its mails, and n8n's credential for it. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { CredentialContent } from '../../support/n8n/rest';

export interface Mail {
	readonly subject: string;
	readonly lines: readonly string[];
	/** Texts by the names of their files. */
	readonly attachments: Readonly<Record<string, string>>;
}

export interface Mailbox {
	readonly mails: readonly Mail[];
	readonly credential: CredentialContent;
	stop(): Promise<void>;
}

/** Accepts every mail; stop it when the test is over. */
export async function startMailbox(): Promise<Mailbox> {
	const mails: Mail[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		converse(socket, (text) => mails.push(mailOf(text)));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	server.unref();
	const { port } = server.address() as AddressInfo;
	return {
		mails,
		credential: {
			name: 'Mailbox',
			type: 'smtp',
			data: { host: '127.0.0.1', port, secure: false, disableStartTls: true },
		},
		async stop() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** The part of SMTP that a client without sign-in and encryption needs. */
function converse(socket: Socket, take: (text: string) => void): void {
	let input = '';
	let inMail = false;
	const say = (line: string): void => {
		socket.write(`${line}\r\n`);
	};
	const hear = (line: string): void => {
		const command = line.slice(0, 4).toUpperCase();
		if (command === 'DATA') inMail = true;
		say(command === 'DATA' ? '354 Go ahead' : command === 'QUIT' ? '221 Bye' : '250 OK');
	};
	socket.setEncoding('utf8').on('data', (chunk: string) => {
		input += chunk;
		for (;;) {
			const end = inMail ? '\r\n.\r\n' : '\r\n';
			const at = input.indexOf(end);
			if (at < 0) return;
			const text = input.slice(0, at);
			input = input.slice(at + end.length);
			if (!inMail) {
				hear(text);
				continue;
			}
			inMail = false;
			take(text);
			say('250 OK');
		}
	});
	// The client was killed.
	socket.on('error', () => socket.destroy());
	say('220 mailbox');
}

function mailOf(text: string): Mail {
	const { headers, content } = partOf(text);
	const subject = /^Subject: (.*)$/im.exec(headers)?.[1] ?? '';
	const parts = partsIn(headers, content);
	const [body = ''] = parts.filter(({ name }) => name === undefined).map((part) => part.text);
	const named = parts.flatMap((part) =>
		part.name === undefined ? [] : [[part.name, part.text] as const],
	);
	const attachments = Object.fromEntries(named);
	return { subject, lines: body.trimEnd().split(/\r?\n/), attachments };
}

function partOf(text: string): { headers: string; content: string } {
	const [head = '', ...body] = text.split('\r\n\r\n');
	return { headers: head.replaceAll(/\r\n\s+/g, ' '), content: body.join('\r\n\r\n') };
}

/** The texts in a mail, or in a part of it; attachments with their names. */
function partsIn(headers: string, content: string): { name: string | undefined; text: string }[] {
	const [, boundary] = /boundary="?([^";\s]+)"?/i.exec(headers) ?? [];
	if (boundary !== undefined) {
		const between = content.split(`--${boundary}`).slice(1, -1);
		return between
			.map((part) => partOf(part.replace(/^\r\n/, '')))
			.flatMap((part) => partsIn(part.headers, part.content));
	}
	const [, name] = /filename="?([^";\s]+)"?/i.exec(headers) ?? [];
	const [, encoding = ''] = /^Content-Transfer-Encoding: (\S+)$/im.exec(headers) ?? [];
	return [{ name, text: decoded(content, encoding.toLowerCase()) }];
}

function decoded(content: string, encoding: string): string {
	if (encoding === 'base64') return Buffer.from(content, 'base64').toString('utf8');
	return encoding === 'quoted-printable' ? unquoted(content) : content;
}

function unquoted(text: string): string {
	return text
		.replaceAll('=\r\n', '')
		.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
