/** The types of a resource and its operations. */
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { ApiClient, ApiRecord } from '../../../lib/service';

export interface OperationRun {
	context: IExecuteFunctions;
	/** Index of the input item whose parameters are read. */
	itemIndex: number;
	client: ApiClient;
	/** Shows a warning although nothing failed; also in the log, unless it reveals something about an event. */
	warn: (message: string, options?: { readonly inLog: boolean }) => void;
}

interface Texts {
	name: string;
	description: string;
	/** Its name in n8n's list of a node's actions. */
	action: string;
	/** Its parameters, in the order of the editor, which shows them only for this operation. */
	fields: readonly INodeProperties[];
}

interface Fetching extends Texts {
	/** The records for one input item, each of which becomes an item. */
	run(run: OperationRun): Promise<ApiRecord[]>;
	prepare?: never;
	runLocally?: never;
}

/** An operation that changes something: the parameters of all input items are checked before the first request. */
export interface Changing extends Texts {
	/** Throws for invalid parameters; the returned function sends the request. */
	prepare(item: Omit<OperationRun, 'client'>): (client: ApiClient) => Promise<ApiRecord[]>;
	runLocally?: never;
}

/** An operation that sends no request, so it needs no credential. */
interface Local extends Texts {
	/** Like `run` of an operation that reads. */
	runLocally(item: Omit<OperationRun, 'client'>): Promise<ApiRecord[]>;
	prepare?: never;
}

export type Operation = Fetching | Changing | Local;

export interface Resource {
	name: string;
	description: string;
	/** By value of the parameter; the first one is the default. */
	operations: Readonly<Record<string, Operation>>;
}
