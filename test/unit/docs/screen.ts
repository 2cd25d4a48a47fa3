/** The labels in the editor: those of this package, with the defaults of its fields, and those of n8n that the docs name. */
import type { INodeProperties } from 'n8n-workflow';
import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { AssetServiceSigningSecretApi } from '../../../credentials/AssetServiceSigningSecretApi.credentials';
import { SERVICE_INTERFACE } from '../../../lib/service';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { screen } from '../../../nodes/AssetServiceStationTrigger/description';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';

interface Screen {
	readonly displayName: string;
	readonly properties: readonly INodeProperties[];
}

const SCREENS: readonly Screen[] = [
	new AssetService().description,
	new AssetServiceTrigger().description,
	new AssetServicePollTrigger().description,
	new AssetServiceStationTrigger().description,
	new AssetServiceApi(),
	new AssetServiceSigningSecretApi(),
];

/** Labels of n8n 2.41.1 and names of its nodes, as its editor writes them. */
const N8N_LABELS = [
	'Allowed HTTP Request Domains',
	'All',
	'Allowed Domains',
	'Authentication',
	'Basic Auth',
	'Code',
	'Community nodes',
	'Continue (using error output)',
	'Create Workflow',
	'Execute Workflow Trigger',
	'Execute step',
	'Executions',
	'Fetch Test Event',
	'From file',
	'HTTP Request',
	'If',
	'Import',
	'Import from file',
	'Install',
	'Install a community node',
	'Listen for test event',
	'None',
	'On Error',
	'Only Run If',
	'On new Asset Service event',
	'Open chat',
	'Poll Times',
	'Predefined Credential Type',
	'Production URL',
	'Publish',
	'Retry On Fail',
	'SMTP',
	'Save',
	'Send Email',
	'Settings',
	'Specific Domains',
	'Test URL',
	'Timezone',
	'Webhook',
	'Webhook URLs',
	'set mock data',
];

/** A field and all that its form holds: options of a collection, and fields of those. */
function* fieldsIn(properties: readonly INodeProperties[]): Generator<INodeProperties> {
	for (const property of properties) {
		yield property;
		for (const option of property.options ?? []) {
			if ('values' in option) yield* fieldsIn(option.values);
			else if ('type' in option) yield* fieldsIn([option]);
		}
	}
}

function* labelsIn({ displayName, properties }: Screen): Generator<string> {
	yield displayName;
	for (const field of fieldsIn(properties)) {
		yield field.displayName;
		for (const option of [...(field.options ?? []), ...(field.modes ?? [])]) {
			if ('displayName' in option) yield option.displayName;
			else yield option.name;
			// The docs name an action by its beginning.
			if ('action' in option && option.action) yield beginningOf(option.action);
		}
	}
}

const beginningOf = (action: string) => action.split(/,|:| (?:to|as) /)[0] ?? action;

export const LABELS: ReadonlySet<string> = new Set([
	...N8N_LABELS,
	...Array.from(screen.outputs.matchAll(/displayName: "(\w+)"/g), ([, name = '']) => name),
	...SCREENS.flatMap((screen) => [...labelsIn(screen)]),
]);

/** A default as the docs write it. The fields of the service interface are empty and show theirs as a placeholder. */
function shownDefault({ name, default: value, options = [] }: INodeProperties): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	const namesOf = (chosen: readonly unknown[]) =>
		options.flatMap((option) =>
			'value' in option && chosen.includes(option.value) ? [option.name] : [],
		);
	if (Array.isArray(value) && value.length > 0) return namesOf(value).join(', ');
	const chosen = options.find((option) => 'value' in option && option.value === value);
	if (chosen) return chosen.name;
	if (value === '' && name in SERVICE_INTERFACE)
		return String(SERVICE_INTERFACE[name as keyof typeof SERVICE_INTERFACE]);
	return typeof value === 'number' || (typeof value === 'string' && value) ? String(value) : 'none';
}

/** The defaults that a field of this label has in the forms named, or in all forms. */
export function defaultsOf(label: string, screens: readonly string[]): string[] {
	const named = SCREENS.filter(({ displayName }) => screens.includes(displayName));
	return (named.length > 0 ? named : SCREENS).flatMap(({ properties }) =>
		[...fieldsIn(properties)].filter(({ displayName }) => displayName === label).map(shownDefault),
	);
}
