/** The code to mutate, and the tests that must fail for it. */

/** Each mutant loads the tests again, so a part names only those it needs, and none whose child processes run the unmutated code. */
export interface Part {
	readonly mutate: readonly string[];
	readonly tests: readonly string[];
}

/** Files of a folder of `lib`, and by default the tests that mirror them. */
function part(folder: string, mutate: string, tests = mutate): Part {
	return {
		mutate: [`lib/${folder}/${mutate}.ts`],
		tests: [`test/unit/${folder}/${tests}.test.ts`],
	};
}

const inFolder = (folder: string, names: readonly string[]): string[] =>
	names.map((name) => `${folder}/${name}.test.ts`);

/** Tests that run a node in n8n-core's own engine. */
const actionTests = (...names: string[]): string[] =>
	inFolder('test/integration/AssetService', names);
const triggerTests = (...names: string[]): string[] =>
	inFolder('test/integration/AssetServiceTrigger', names);
const pollTests = (...names: string[]): string[] =>
	inFolder('test/integration/AssetServicePollTrigger', names);

/** Files of `n8n` that have their own unit test. */
const n8nPart = (names: string): Part => ({
	mutate: [`n8n/${names}.ts`],
	tests: [`test/unit/n8n/${names}.test.ts`],
});

/** Checks that the code reads what the descriptions offer. */
const OFFERED = 'test/unit/nodes/descriptions.test.ts';
const GUIDELINES = 'test/unit/nodes/guidelines.test.ts';

/** The life of an endpoint is tested as a whole. */
const LIFE_OF_ENDPOINT = '{mark,races,registration,rotation,serviceText}';

export const AREAS: Readonly<Record<string, readonly Part[]>> = {
	receiver: [
		part('signature', 'schemes', '{custom,schemes,standardWebhooks,timestamped}'),
		part('signature', '{credential,fields}', '{credential,custom,standardWebhooks}'),
		part('signature', 'template'),
		part('signature', '{sign,verifier}', '{credential,custom,sign,standardWebhooks,verifier}'),
		part('event', 'conditions', '{conditions,survey}'),
		part('event', '{fields,survey}'),
		part('event', 'eventTypes'),
		part('event', '{order,parseEvent}'),
		part('receiver', 'batch', 'batch*'),
		{
			mutate: ['lib/receiver/{receive,verdict,verify}.ts', 'lib/event/wanted.ts'],
			tests: ['test/unit/receiver/{receive,verdict,verify}.test.ts', ...triggerTests('refusal')],
		},
		{
			mutate: ['lib/event/parameters.ts', 'lib/receiver/triggerSettings.ts'],
			tests: ['test/unit/receiver/{batch,triggerSettings}.test.ts'],
		},
		part('receiver', 'verifierCache'),
		{
			mutate: ['n8n/receiver/{refusalLog,secretSource,settleWithAnswer,testEvent}.ts'],
			tests: ['test/unit/n8n/receiver/*.test.ts'],
		},
		{
			mutate: ['n8n/beginRun.ts'],
			tests: ['test/integration/beginRun.test.ts', 'test/unit/n8n/beginRun.test.ts'],
		},
		{
			mutate: ['n8n/receiver/delivery.ts'],
			tests: [...triggerTests('{acknowledge,delivery,http,refusal}'), ...actionTests('rejections')],
		},
		part('rejections', '{counter,record}', 'rejections'),
	],
	accounts: [
		part('accounts', '{access,publication,states}'),
		{ mutate: ['lib/accounts/requests.ts'], tests: ['test/unit/poll/replay.test.ts'] },
		{
			mutate: ['n8n/accountAccess.ts', 'n8n/workflowId.ts'],
			tests: [
				'test/integration/AssetServicePollTrigger/replay.test.ts',
				'test/unit/nodes/descriptions.test.ts',
			],
		},
		{
			mutate: ['nodes/AssetService/resources/event/*.ts'],
			tests: actionTests('{reconcile,rejections,replay}'),
		},
	],
	poll: [
		part('poll', '{bounds,budget,finds,progress,reading,round,trail}', '*'),
		part(
			'poll',
			'{knowledge,memory,poll,publication}',
			'{frontier,knowledge,memory,poll,publication,publish,replay}',
		),
		part('poll', 'state', '{frontier,replay,state}'),
		part('start', '{again,start}', 'start'),
		{ mutate: ['lib/walk/walk.ts'], tests: ['test/unit/{poll,walk}/*.test.ts'] },
		part('shared', 'listOrder'),
		n8nPart('poll/{handOver,memory,newestEvent}'),
		part('poll', '{places,replay}', 'replay'),
	],
	ledger: [
		part('ledger', '{beginOrWait,later}'),
		part('ledger', 'choice'),
		part('ledger', 'claimOrWait'),
		part('ledger/common', '{environment,errors}'),
		part('ledger', 'hold'),
		part('ledger/common', 'key'),
		part('ledger/life', '{attempt,entry}'),
		part('ledger/life', '{account,claims,executions,states,step,steps}', '{states,steps}'),
		part('ledger', 'session'),
		part('ledger', 'open'),
		{
			mutate: ['lib/ledger/{entries,eventLedger,waiting}.ts'],
			tests: ['test/unit/ledger/eventLedger.test.ts', 'test/unit/ledger/sqlite/contract.test.ts'],
		},
		part('ledger/sqlite', '{checkpoint,groupSync}', '{checkpoint,gate,groupSync}'),
		part(
			'ledger/sqlite',
			'{database,load,transaction}',
			'{checkpoint,database,deletedLog,durability,file,gate,store,unusable,warning}',
		),
		part('ledger/sqlite', 'errors'),
		part(
			'ledger/sqlite',
			'{files,ledgerFile,schema}',
			'{deletedLog,durability,file,files,gate,ledgerFile,schema,unusable}',
		),
		part('ledger/sqlite', 'hostClock'),
		part('ledger/sqlite', 'retry'),
		{
			mutate: ['lib/ledger/sqlite/{statements,store}.ts'],
			tests: ['test/unit/ledger/sqlite/{contract,file,sessions,store,sweeper}.test.ts'],
		},
		part('ledger/sqlite', 'sweeper'),
		part('ledger/sqlite', 'together'),
		part('ledger/redis', '{errors,eviction}'),
		part('ledger/redis', 'settings'),
		{
			mutate: ['lib/ledger/redis/{scripts,store}.ts'],
			tests: [
				'test/unit/ledger/redis/{deadline,store}.test.ts',
				'test/e2e/ledger/contract.test.ts',
			],
		},
		part(
			'ledger/redis',
			'{clock,connection,timeLimit,waiters}',
			'{connection,deadline,reconnecting,timeLimit}',
		),
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
		{
			mutate: ['lib/service/tokens/withToken.ts'],
			tests: ['test/unit/service/client/*.test.ts'],
		},
		part('service/tokens', '{tokenError,tokenRequest}', '{accessTokens,tokenRequest,unreachable}'),
	],
	paging: [
		part('service/lists', 'envelope'),
		{
			mutate: ['lib/service/lists/paging.ts'],
			tests: ['test/unit/service/lists/paging.test.ts', ...actionTests('eventFilters')],
		},
		part('service/lists', 'listOptions'),
		part('service/lists', 'since'),
		{
			mutate: ['lib/service/common/record.ts'],
			tests: ['test/unit/service/{common/record,lists/paging}.test.ts'],
		},
		part('service/lists', 'newest'),
	],
	retry: [
		part('service', 'http/withRetries', '{client/changes,http/withRetries}'),
		part('service/http', '{deadline,runtime}', '{deadline,withRetries}'),
	],
	endpoint: [
		part('endpoint', 'deliverableUrl'),
		part('endpoint', 'dueSteps'),
		part('endpoint', '{making,mark}', LIFE_OF_ENDPOINT),
		part('endpoint', '{endpoints,publish}', LIFE_OF_ENDPOINT),
		part('endpoint', '{record,steps}', LIFE_OF_ENDPOINT),
		part('endpoint', 'secretBox', '{registration,rotation,secretBox}'),
	],
	n8n: [
		n8nPart('{apiClient,transport}'),
		n8nPart('{eventTypeProperties,parameters}'),
		n8nPart('httpHelper'),
		n8nPart('{logLimiter,logLine}'),
		n8nPart('nodeError'),
		{
			mutate: ['n8n/{conditions,deliveryProperties}.ts'],
			tests: [OFFERED, ...triggerTests('batched', 'delivery', 'lifecycle')],
		},
		{
			mutate: ['n8n/credentialTests/*.ts', 'n8n/storedToken.ts'],
			tests: ['test/unit/credentials/*.test.ts', ...actionTests('credential')],
		},
		{
			mutate: ['n8n/endpoint/*.ts'],
			tests: triggerTests('{automaticRegistration,killedPublication,lifecycle,rotationTimes}'),
		},
		{ mutate: ['n8n/poll/*.ts'], tests: pollTests('*') },
	],
	nodes: [
		{
			mutate: ['nodes/AssetService/{AssetService.node,execute,properties,searchDeliveries}.ts'],
			tests: [
				OFFERED,
				'test/unit/nodes/AssetService/*.test.ts',
				...actionTests('{deliveryList,errorItems,errors,lists,parallel,unreadable}'),
			],
		},
		{
			mutate: ['nodes/AssetService/resources/{delivery,index}.ts'],
			tests: [
				'test/unit/nodes/AssetService/description.test.ts',
				...actionTests('{deliveryList,lists,simplify}'),
			],
		},
		{
			mutate: ['nodes/AssetService/resources/event/*.ts'],
			tests: [OFFERED, ...actionTests('{eventFilters,lists,reconcile}')],
		},
		{
			mutate: ['nodes/AssetService/resources/webhookEndpoint/*.ts'],
			tests: [OFFERED, ...actionTests('{health,webhookEndpoints}')],
		},
		{
			mutate: ['nodes/AssetService/shared/*.ts'],
			tests: [
				OFFERED,
				'test/unit/nodes/AssetService/*.test.ts',
				...actionTests('{eventFilters,lists,parallel,reconcile,simplify,webhookEndpoints}'),
			],
		},
		{
			mutate: ['nodes/AssetServiceTrigger/*.ts'],
			tests: [
				OFFERED,
				...triggerTests('{automaticRegistration,batched,delivery,lifecycle,schemes}'),
			],
		},
		{ mutate: ['nodes/AssetServicePollTrigger/*.ts'], tests: [OFFERED, ...pollTests('*')] },
	],
	credentials: [
		{
			mutate: [
				'credentials/{AssetServiceApi.credentials,ignoreSslIssues,plainHttpNotice,serviceInterface}.ts',
			],
			tests: [OFFERED, GUIDELINES, 'test/unit/credentials/AssetServiceApi.test.ts'],
		},
		{
			mutate: ['credentials/{AssetServiceSigningSecretApi.credentials,customScheme}.ts'],
			tests: [OFFERED, 'test/unit/credentials/AssetServiceSigningSecretApi.test.ts'],
		},
	],
};
