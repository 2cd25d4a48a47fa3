/** The options of the trigger, which most people never open. */
import type { INodeProperties } from 'n8n-workflow';
import {
	DEFAULT_RETENTION_DAYS,
	DEFAULT_TOLERANCE_SECONDS,
	MAX_RETENTION_DAYS,
	MIN_RETENTION_DAYS,
} from '../../lib/receiver';
import { accountAccessOptions } from '../../n8n/accountAccess';

export const triggerOptions: INodeProperties[] = [
	...accountAccessOptions,
	{
		displayName: 'Include Delivery',
		name: 'includeDelivery',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether to add a field _delivery with the delivery ID (not covered by the signature), the timestamp of the signature, the secret that matched (current or previous) and the time of receipt',
	},
	{
		displayName: 'Retention (Days)',
		name: 'retentionDays',
		type: 'number',
		noDataExpression: true,
		typeOptions: {
			minValue: MIN_RETENTION_DAYS,
			maxValue: MAX_RETENTION_DAYS,
			numberPrecision: 0,
		},
		default: DEFAULT_RETENTION_DAYS,
		description:
			'How many days an event is recognized as a duplicate. At least 31, because the service delivers events for up to 30 days.',
	},
	{
		displayName: 'Rotate Secret After (Days)',
		name: 'rotateAfterDays',
		type: 'number',
		noDataExpression: true,
		displayOptions: { show: { '/registration': ['automatic'] } },
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Age at which the endpoint is replaced by a new one with a new signing secret, or 0 for never',
	},
	{
		displayName: 'Rotation Grace Period (Hours)',
		name: 'rotationGraceHours',
		type: 'number',
		noDataExpression: true,
		// Without a rotation it has no effect. n8n reads the field next to it, and shows this one only if that was added.
		displayOptions: {
			show: { '/registration': ['automatic'], rotateAfterDays: [{ _cnd: { gt: 0 } }] },
		},
		typeOptions: { minValue: 0 },
		default: 24,
		description:
			'How long the old endpoint stays active next to the new one. Both secrets are accepted during this time.',
	},
	{
		displayName: 'Tolerance (Seconds)',
		name: 'toleranceSeconds',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: DEFAULT_TOLERANCE_SECONDS,
		description:
			'How far the timestamp of a signature may be in the past or in the future, by the clock of this n8n instance',
	},
];
