/** What is mutated, and the tests that must notice it. */

/** The tests of a part are few, since each mutant loads them anew: no others, and none whose child processes run the code unmutated. */
export interface Part {
	readonly mutate: readonly string[];
	readonly tests: readonly string[];
}

export const AREAS: Readonly<Record<string, readonly Part[]>> = {
	receiver: [
		{
			mutate: ['lib/receiver/signature/**/*.ts'],
			tests: ['test/unit/receiver/signature/!(peers).test.ts'],
		},
		{
			mutate: ['lib/receiver/event/**/*.ts'],
			tests: ['test/unit/receiver/event/*.test.ts'],
		},
		{
			mutate: ['lib/receiver/*.ts'],
			tests: ['test/unit/receiver/*.test.ts'],
		},
		{
			mutate: ['n8n/receiver/**/*.ts'],
			tests: [
				'test/unit/n8n/receiver/*.test.ts',
				'test/integration/beginRun.test.ts',
				'test/integration/AssetServiceTrigger/{batched,delivery,handOver,http,refusal,schemes,signingSecrets,uncheckedDelivery}.test.ts',
			],
		},
	],
	ledger: [
		{
			mutate: ['lib/ledger/*.ts'],
			tests: ['test/unit/ledger/*.test.ts'],
		},
		{
			mutate: ['lib/ledger/sqlite/**/*.ts'],
			tests: [
				'test/unit/ledger/sqlite/{contract,durability,file,groupSync,retry,sweeper,unusable,warning}.test.ts',
			],
		},
		{
			mutate: ['lib/ledger/redis/**/*.ts'],
			tests: [
				'test/unit/ledger/redis/*.test.ts',
				'test/e2e/ledger/{contract,outages,redis,refusals}.test.ts',
			],
		},
	],
	tokens: [
		{
			mutate: ['lib/service/tokens/accessTokens.ts'],
			tests: ['test/unit/service/tokens/{accessTokens,successor}.test.ts'],
		},
		{
			mutate: ['lib/service/tokens/!(accessTokens).ts'],
			tests: ['test/unit/service/tokens/{accessTokens,tokenRequest}.test.ts'],
		},
	],
	paging: [
		{
			mutate: ['lib/service/lists/envelope.ts'],
			tests: ['test/unit/service/lists/envelope.test.ts'],
		},
		{
			mutate: ['lib/service/lists/paging.ts'],
			tests: ['test/unit/service/lists/paging.test.ts'],
		},
		{
			mutate: ['lib/service/lists/!(envelope|paging).ts'],
			tests: ['test/unit/service/lists/since.test.ts'],
		},
	],
	retry: [
		{
			mutate: ['lib/service/http/retry.ts'],
			tests: ['test/unit/service/http/retry.test.ts'],
		},
		{
			mutate: ['lib/service/http/{deadline,runtime}.ts'],
			tests: ['test/unit/service/http/{deadline,retry}.test.ts'],
		},
	],
};
