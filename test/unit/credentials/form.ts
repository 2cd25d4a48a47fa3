/** What n8n makes of the fields of a credential: the fields it shows and demands, and the data that it gives to a node. */
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	INode,
	INodeParameters,
	INodeProperties,
} from 'n8n-workflow';
import { NodeHelpers } from '../../support/nodeHelpers';

type Credential = Pick<ICredentialType, 'properties'>;

/** What was entered, with the defaults of the fields that show. */
export const storedBy = (
	{ properties }: Credential,
	entered: IDataObject,
): ICredentialDataDecryptedObject =>
	NodeHelpers.getNodeParameters(
		properties,
		entered as INodeParameters,
		true,
		false,
		null,
		null,
	) as ICredentialDataDecryptedObject;

const named = (
	{ properties }: Credential,
	isOne: (property: INodeProperties) => boolean,
): string[] => properties.filter(isOne).map(({ name }) => name);

export const shownBy = (credential: Credential, entered: IDataObject): string[] => {
	const data = { ...storedBy(credential, {}), ...entered } as INodeParameters;
	return named(credential, (one) => NodeHelpers.displayParameter(data, one, null, null));
};

/** n8n reads only its version here, which no field of a credential depends on. */
const NODE: INode = {
	...{ id: '', name: '', type: '', typeVersion: 1 },
	...{ position: [0, 0], parameters: {} },
};

/** The fields that n8n marks as required and empty. */
export const demandedBy = (credential: Credential, entered: IDataObject): string[] => {
	const data = storedBy(credential, entered) as INodeParameters;
	return named(
		credential,
		(one) => NodeHelpers.getParameterIssues(one, data, '', NODE, null).parameters !== undefined,
	);
};
