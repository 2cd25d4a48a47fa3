/** Redis errors for operators: the address, and what to do. */
import { errorField, LedgerUnavailableError } from '../common/errors';
import { describeRedis, type RedisSettings } from './settings';

/** By the first word of Redis's error, or the system's error code. */
const ADVICE: Readonly<Record<string, string>> = {
	NOAUTH: 'it asks for a password: set the user and password',
	WRONGPASS: 'it rejects the user or the password: correct them',
	NOPERM:
		'its user is not allowed to do what the ledger needs: allow it EVAL, EVALSHA, TIME, GET, SET, DEL and PTTL on the keys asset-service:ledger:*, SELECT for a database other than 0, and CLUSTER SLOTS and ASKING on a cluster',
	LOADING: 'it is still loading its data: wait until it has finished',
	READONLY: 'it is a read-only replica: use the host of the primary',
	MASTERDOWN: 'it is a replica without its primary: use the host of the primary',
	OOM: 'its memory is full: raise maxmemory',
	MISCONF: 'it cannot save to its disk and accepts no writes: check its log',
	CLUSTERDOWN: 'the cluster is down: check its nodes',
	ECONNREFUSED: 'no server is listening there: start it, or correct the host and the port',
	ENOTFOUND: 'the host name does not exist: correct it',
	EAI_AGAIN: 'the host name cannot be resolved at the moment: check the DNS',
	ECONNRESET: 'it closed the connection: check whether it expects TLS',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set NODE_EXTRA_CA_CERTS to it',
	SELF_SIGNED_CERT_IN_CHAIN:
		'its certificate is signed by a private authority: set NODE_EXTRA_CA_CERTS to the certificate of that authority',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified: set NODE_EXTRA_CA_CERTS',
	ERR_TLS_CERT_ALTNAME_INVALID:
		'its certificate is for another name: correct the host in ASSET_SERVICE_LEDGER_REDIS_URL or, if that is not set, the host or QUEUE_BULL_REDIS_TLS_SERVERNAME',
};

/** Errors that a retry a moment later would get again. */
const LASTING = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM', 'OOM', 'MISCONF']);

/** The wording for a command within a script, in Redis 6 and 7.0, and since Redis 7.2. */
const DENIED_IN_SCRIPT =
	/^ERR (Error running script .*|)(The user executing the script can't|ACL failure in script:)/;

/** The first word of Redis's error (`WRONGPASS`), or the system's code (`ECONNREFUSED`). */
export function errorCode(error: unknown): string | undefined {
	const code = errorField(error, 'code');
	if (typeof code === 'string') return code;
	// If no node of a cluster responds, the error contains that of the last one.
	const nodeError = errorField(error, 'lastNodeError');
	if (nodeError !== undefined) return errorCode(nodeError);
	const message = String(errorField(error, 'message'));
	if (DENIED_IN_SCRIPT.test(message)) return 'NOPERM';
	return /^[A-Z]{2,}(?=[ :]|$)/.exec(message)?.[0];
}

export function isLasting(error: unknown): boolean {
	return LASTING.has(errorCode(error) ?? '');
}

/** Whether Redis has responded to a user that it accepts, even with an error. */
export function isResponse(error: unknown): boolean {
	const code = errorCode(error);
	return errorField(error, 'name') === 'ReplyError' && code !== 'NOAUTH' && code !== 'WRONGPASS';
}

/** Never repeats Redis's own text, which can contain user names. */
export function redisUnavailableError(
	settings: RedisSettings,
	error: unknown,
): LedgerUnavailableError {
	const code = errorCode(error);
	const advice =
		ADVICE[code ?? ''] ?? 'it did not respond in time: check that it runs and can be reached';
	return new LedgerUnavailableError(
		`The event ledger is not available. ${describeRedis(settings)}: ${advice}${code ? ` (${code})` : ''}.`,
	);
}

/** After a failover the old primary refuses writes: the name is then resolved again, as n8n's own client does. */
export function isReadOnly(error: unknown, settings: RedisSettings): boolean {
	return settings.reconnectOnFailover && errorCode(error) === 'READONLY';
}
