/** What the file of a resource gives to the node. */
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { ApiClient, ApiRecord } from '../../../lib/service';

export interface Run {
	context: IExecuteFunctions;
	/** Index of the input item whose parameters count. */
	itemIndex: number;
	client: ApiClient;
	/** Shows a person what to know although nothing failed; also in the log, unless it says something of an event. */
	warn: (message: string, options?: { readonly inLog: boolean }) => void;
}

interface Texts {
	name: string;
	description: string;
	/** What it is called in n8n's list of the actions of a node. */
	action: string;
	/** Its parameters, in the order of the editor, which shows them for this operation alone. */
	fields: readonly INodeProperties[];
}

interface Reading extends Texts {
	/** The records for one input item, each to become an item of its own. */
	run(run: Run): Promise<ApiRecord[]>;
	prepare?: never;
	look?: never;
}

/** An operation that changes something: the parameters of all input items are checked before the first request. */
export interface Changing extends Texts {
	/** Throws for parameters that cannot be meant; what it answers sends the request. */
	prepare(item: Omit<Run, 'client'>): (client: ApiClient) => Promise<ApiRecord[]>;
	look?: never;
}

/** An operation that sends no request, and so needs no credential. */
export interface Local extends Texts {
	/** As `run` of an operation that reads. */
	look(item: Omit<Run, 'client'>): Promise<ApiRecord[]>;
	prepare?: never;
}

export type Operation = Reading | Changing | Local;

export interface Resource {
	name: string;
	description: string;
	/** By the value of the parameter; the first one is the default. */
	operations: Readonly<Record<string, Operation>>;
}
