/** What a file of a resource gives to the node: its parameters, and its run function. */
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import type { ApiClient, ApiRecord } from '../../../lib/service';

export interface Run {
	context: IExecuteFunctions;
	/** Index of the input item whose parameters count. */
	itemIndex: number;
	client: ApiClient;
	/** Shows a person what to know although nothing failed. */
	warn: (message: string) => void;
}

export interface Resource {
	/** The operation first, then its fields, as the editor shows them. */
	properties: INodeProperties[];
	/** The records of one operation for one input item, each to become an item of its own. */
	run(operation: string, run: Run): Promise<ApiRecord[]>;
}
