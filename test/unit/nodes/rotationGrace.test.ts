/** The grace period of a rotation is offered only where there is a rotation. */
import { type INode, type INodeParameters, NodeHelpers } from 'n8n-workflow';
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';

const { description } = new AssetServiceTrigger();

/** The options that n8n keeps of those entered: the ones that it shows. */
function kept(options: INodeParameters): unknown {
	const values = { registration: 'automatic', options };
	const node = { typeVersion: 2 } as INode;
	return NodeHelpers.getNodeParameters(
		...([description.properties, values, false, false, node, description] as const),
	)?.['options'];
}

it.each([
	[{ rotateAfterDays: 30, rotationGraceHours: 5 }, true],
	[{ rotateAfterDays: 0.0002, rotationGraceHours: 0.5 }, true],
	[{ rotateAfterDays: 0, rotationGraceHours: 5 }, false],
	[{ rotationGraceHours: 5 }, false],
])('of %j it is kept: %s', (options, isKept) => {
	expect('rotationGraceHours' in (kept(options) as INodeParameters)).toBe(isKept);
});
