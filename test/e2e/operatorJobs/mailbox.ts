/** A mail server on 127.0.0.1 that keeps its mails, and n8n's credential for it. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { CredentialContent } from '../../support/n8n/rest';

export interface Mail {
	readonly subject: string;
	readonly lines: readonly string[];
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
	const [head = '', ...body] = text.split('\r\n\r\n');
	const headers = head.replaceAll(/\r\n\s+/g, ' ');
	const subject = /^Subject: (.*)$/im.exec(headers)?.[1] ?? '';
	const content = body.join('\r\n\r\n');
	const isQuoted = /^Content-Transfer-Encoding: quoted-printable$/im.test(headers);
	return { subject, lines: (isQuoted ? unquoted(content) : content).trimEnd().split(/\r?\n/) };
}

function unquoted(text: string): string {
	return text
		.replaceAll('=\r\n', '')
		.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
