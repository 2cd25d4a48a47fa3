/** What is mutated, and the tests that must notice it. */

/** The tests of a part are few, since each mutant loads them anew: no others, and none whose child processes run the code unmutated. */
export interface Part {
	readonly mutate: readonly string[];
	readonly tests: readonly string[];
}

/** Files of a folder of `lib`, and the tests that mirror them unless others are named. */
function part(folder: string, mutate: string, tests = mutate): Part {
	return {
		mutate: [`lib/${folder}/${mutate}.ts`],
		tests: [`test/unit/${folder}/${tests}.test.ts`],
	};
}

export const AREAS: Readonly<Record<string, readonly Part[]>> = {
	receiver: [
		part('receiver/signature', 'encoding'),
		part('receiver/signature', '{headers,timestamp}'),
		part('receiver/signature', '{fields,secrets,settings}', '{custom,settings}'),
		part('receiver/signature', 'template'),
		part('receiver/signature', '{custom,scheme}', 'custom'),
		part('receiver/signature', 'standardWebhooks'),
		part('receiver/signature', '{sign,timestamped}'),
		part('receiver/signature', '{compare,verifier}', '{custom,settings,verifier}'),
		part('receiver/event', 'conditions'),
		part('receiver/event', 'eventTypes'),
		part('receiver/event', '{order,parseEvent,wanted}'),
		part('receiver', 'batch'),
		part('receiver', 'listFresh'),
		part('receiver', 'listedStates'),
		part('receiver', '{receive,verdict,verify}'),
		part('receiver', 'settings'),
		part('receiver', 'verifierCache'),
		{
			mutate: ['n8n/receiver/{refusalLog,secretSource,settleWithAnswer,testRefusal}.ts'],
			tests: ['test/unit/n8n/receiver/*.test.ts'],
		},
		{
			mutate: ['n8n/receiver/beginRun.ts'],
			tests: ['test/integration/beginRun.test.ts'],
		},
		{
			mutate: ['n8n/receiver/delivery.ts'],
			tests: ['test/integration/AssetServiceTrigger/{delivery,http,refusal}.test.ts'],
		},
	],
	ledger: [
		part('ledger', 'beginOrWait'),
		part('ledger', 'choice'),
		part('ledger', 'claimOrWait'),
		part('ledger', '{environment,errors}'),
		part('ledger', 'hold', '{commitWith,hold}'),
		part('ledger', '{key,token}'),
		part('ledger', 'leases'),
		part('ledger', 'open'),
		part('ledger/sqlite', '{checkpoint,groupSync}', '{checkpoint,gate,groupSync}'),
		part(
			'ledger/sqlite',
			'database',
			'{checkpoint,database,durability,file,gate,store,unusable,warning}',
		),
		part('ledger/sqlite', 'errors'),
		part(
			'ledger/sqlite',
			'{files,ledgerFile,schema}',
			'{durability,file,files,gate,ledgerFile,schema,unusable}',
		),
		part('ledger/sqlite', 'retry'),
		part('ledger/sqlite', '{statements,store}', '{contract,store,sweeper}'),
		part('ledger/sqlite', 'sweeper'),
		part('ledger/redis', '{errors,eviction}'),
		part('ledger/redis', 'settings'),
		{
			mutate: ['lib/ledger/redis/{scripts,store}.ts'],
			tests: ['test/unit/ledger/redis/store.test.ts', 'test/e2e/ledger/contract.test.ts'],
		},
		part('ledger/redis', '{connection,timeLimit}', '{connection,reconnecting,timeLimit}'),
		{
			mutate: ['lib/ledger/redis/client.ts'],
			tests: [
				'test/unit/ledger/redis/{client,connection,reconnecting}.test.ts',
				'test/e2e/ledger/redis.test.ts',
			],
		},
	],
	tokens: [
		part('service/tokens', 'accessTokens', '{accessTokens,successor}'),
		part(
			'service/tokens',
			'{tokenFailure,tokenRequest}',
			'{accessTokens,tokenRequest,unreachable}',
		),
	],
	paging: [
		part('service/lists', 'envelope'),
		part('service/lists', 'paging'),
		part('service/lists', 'listOptions'),
		part('service/lists', '{since,createdAt}', 'since'),
		part('service/lists', 'newest'),
	],
	retry: [
		part('service/http', 'retry'),
		part('service/http', '{deadline,runtime}', '{deadline,retry}'),
	],
};
