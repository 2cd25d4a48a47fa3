/** Types of the parts of undici that `lib/vendor/undici.ts` imports one by one; undici itself has types only for its entry. */
declare module 'undici/lib/dispatcher/dispatcher' {
	export { Dispatcher as default } from 'undici';
}

declare module 'undici/lib/dispatcher/agent' {
	export { Agent as default } from 'undici';
}

declare module 'undici/lib/dispatcher/proxy-agent' {
	export { ProxyAgent as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool' {
	export { Pool as default } from 'undici';
}

declare module 'undici/lib/api' {
	const api: Readonly<Record<'request' | 'connect', unknown>>;
	export default api;
}
