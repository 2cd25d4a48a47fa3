/** Works like n8n's own credentials helper, on data in memory. */
import {
	ICredentialsHelper,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

export interface TestCredential {
	readonly type: ICredentialType;
	/** The stored data; `preAuthentication` writes here. */
	data: ICredentialDataDecryptedObject;
}

export class TestCredentialsHelper extends ICredentialsHelper {
	constructor(private readonly credentials: readonly TestCredential[]) {
		super();
	}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	getCredentialsProperties(type: string) {
		return this.of(type).type.properties;
	}

	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_credential: INodeCredentialsDetails,
		type: string,
	) {
		const { type: description, data } = this.of(type);
		const defaults = description.properties.map((property) => [property.name, property.default]);
		return {
			...(Object.fromEntries(defaults) as ICredentialDataDecryptedObject),
			...data,
		};
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		type: string,
		request: IHttpRequestOptions,
	) {
		const { authenticate } = this.of(type).type;
		return typeof authenticate === 'function' ? await authenticate(credentials, request) : request;
	}

	/** Gets and stores a new token if none is stored or the last one was rejected. */
	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		_node: INode,
		expired: boolean,
	) {
		const { type } = this.of(typeName);
		const stored = type.properties.find(({ typeOptions }) => typeOptions?.expirable === true);
		if (!type.preAuthentication || stored === undefined) return undefined;
		if (credentials[stored.name] !== '' && !expired) return undefined;
		const output = await type.preAuthentication.call(helpers, credentials);
		if (output[stored.name] === undefined) return undefined;
		const declared = Object.entries(output).filter(([name]) =>
			type.properties.some((property) => property.name === name),
		);
		Object.assign(this.of(typeName).data, Object.fromEntries(declared));
		return Object.assign(credentials, output);
	}

	async runPreAuthentication() {
		return undefined;
	}

	async getCredentials(): Promise<never> {
		throw new Error('not used here');
	}

	async updateCredentials() {
		throw new Error('not used here');
	}

	async updateCredentialsOauthTokenData() {
		throw new Error('not used here');
	}

	private of(type: string): TestCredential {
		const found = this.credentials.find((credential) => credential.type.name === type);
		if (!found) throw new Error(`no credential of type ${type}`);
		return found;
	}
}
