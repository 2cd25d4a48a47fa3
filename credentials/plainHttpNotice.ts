/** The warning about an http URL in the form: n8n does not show the message of a test that succeeded. */
import type { INodeProperties } from 'n8n-workflow';
import { FIELD_LABELS } from '../lib/service';

/** Matches any host except this machine: the URLs that `plainHttpWarning` warns about when the credential is used. */
const RISKY =
	'^\\s*[Hh][Tt]{2}[Pp]://(?!(([\\w-]+\\.)*localhost|127(\\.\\d{1,3}){3}|\\[::1\\])([:/]|\\s*$))';

export function plainHttpNotice(field: 'baseUrl' | 'authUrl'): INodeProperties {
	return {
		displayName: `'${FIELD_LABELS[field]}' is plain http: anyone on the network between n8n and the service can read the secrets and the data. Use https if the service offers it.`,
		name: `${field}Notice`,
		type: 'notice',
		default: '',
		displayOptions: { show: { [field]: [{ _cnd: { regex: RISKY } }] } },
	};
}
