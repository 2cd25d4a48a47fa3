/** API clients and the access tokens issued to them. */
import { newId, newSecret } from '../shared/ids';
import { SCOPES, type ClientInput, type Scope } from '../shared/types';

interface Client {
	readonly clientSecret: string;
	readonly scopes: readonly Scope[];
	readonly tokenLifetimeSeconds: number;
}

export interface IssuedToken {
	readonly accessToken: string;
	readonly expiresInSeconds: number;
	readonly scopes: readonly Scope[];
}

export class Tokens {
	private readonly clients = new Map<string, Client>();
	/** In order of issue. */
	private readonly issued = new Map<
		string,
		{ readonly expiresAt: number; readonly scopes: readonly Scope[] }
	>();

	constructor(
		private readonly now: () => number,
		private readonly lifetimeSeconds: number,
	) {}

	addClient(input: ClientInput): { clientId: string; clientSecret: string } {
		const { clientId = newId('client'), clientSecret = newSecret() } = input;
		this.clients.set(clientId, {
			clientSecret,
			scopes: input.scopes ?? SCOPES,
			tokenLifetimeSeconds: input.tokenLifetimeSeconds ?? this.lifetimeSeconds,
		});
		return { clientId, clientSecret };
	}

	/** Undefined if there is no such client or its secret differs. */
	issue(clientId: string, clientSecret: string): IssuedToken | undefined {
		const client = this.clients.get(clientId);
		if (client?.clientSecret !== clientSecret) return undefined;
		this.dropExpired();
		const accessToken = newSecret();
		const { scopes, tokenLifetimeSeconds: expiresInSeconds } = client;
		this.issued.set(accessToken, { expiresAt: this.now() + expiresInSeconds * 1000, scopes });
		return { accessToken, expiresInSeconds, scopes };
	}

	/** The permissions of a token; undefined if it is unknown, revoked or expired. */
	scopesOf(accessToken: string): readonly Scope[] | undefined {
		const token = this.issued.get(accessToken);
		return token && token.expiresAt > this.now() ? token.scopes : undefined;
	}

	revoke(accessToken: string): void {
		this.issued.delete(accessToken);
	}

	revokeAll(): void {
		this.issued.clear();
	}

	private dropExpired(): void {
		for (const [accessToken, { expiresAt }] of this.issued) {
			if (expiresAt <= this.now()) this.issued.delete(accessToken);
		}
	}
}
