/**
 * Through which files each of five paths goes: follows every call from its entry point, as TypeScript resolves it, to the
 * functions of the product. `npx tsx scripts/reach/main.ts [folder of another checkout] [--files]`
 */
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';

const [folder = '.'] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const ROOT = resolve(folder);
const PRODUCT = /^(lib|n8n|nodes|credentials)\//;

/** Where each path begins: a property of a node's class, or the calls of a function, with what they pass to it. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
	delivery: ['AssetServiceTrigger.webhook'],
	'polled event': ['AssetServicePollTrigger.poll'],
	incident: ['AssetServiceStationTrigger.poll'],
	// The ledger is open by then.
	'end of an execution': ['ledgerFor', 'onExecutionEnd'],
	"endpoint's secret": ['AssetServiceTrigger.webhookMethods'],
};

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
	ts.sys.readFile(path),
) as { config: unknown };
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
const pathOf = (file: string) => relative(ROOT, file);
const files = fileNames.filter((file) => PRODUCT.test(pathOf(file)));
const program = ts.createProgram(files, options);
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter(({ fileName }) => PRODUCT.test(pathOf(fileName)));

/** The members of all classes, by name. */
const elements = new Map<string, ts.ClassElement[]>();
const collect = (node: ts.Node): void => {
	if (ts.isClassElement(node) && node.name && ts.isClassDeclaration(node.parent)) {
		const name = node.name.getText();
		elements.set(name, [...(elements.get(name) ?? []), node]);
	}
	ts.forEachChild(node, collect);
};
sources.forEach(collect);

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
	ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

/** The functions on the way from these entry points, by their files. What an object holds counts where the object is made. */
function reach(entries: readonly ts.Node[]): Set<string> {
	const seen = new Set<ts.Node>();
	const reached = new Set<string>();
	/** Methods that are called through an interface, by the class that has them, until one is made. */
	const waiting = new Map<ts.Node, ts.Node[]>();

	const followOnce = (node: ts.Node): void => {
		if (seen.has(node)) return;
		seen.add(node);
		follow(node);
	};

	/** Follows what runs when this declaration is used. */
	const use = (declaration: ts.Declaration): void => {
		const { fileName } = declaration.getSourceFile();
		if (!PRODUCT.test(pathOf(fileName)) || fileName.endsWith('.d.ts')) return;
		if (isFunction(declaration)) {
			followOnce(declaration);
		} else if (ts.isClassDeclaration(declaration)) {
			const { members } = declaration;
			const atFirst = members.filter(
				(one) => ts.isConstructorDeclaration(one) || ts.isPropertyDeclaration(one),
			);
			[...atFirst, ...(waiting.get(declaration) ?? [])].forEach(followOnce);
			seen.add(declaration);
		} else if (ts.isMethodSignature(declaration) || ts.isPropertySignature(declaration)) {
			for (const method of methodsFor(declaration)) {
				if (seen.has(method.parent)) followOnce(method);
				else waiting.set(method.parent, [...(waiting.get(method.parent) ?? []), method]);
			}
		} else if (ts.isBindingElement(declaration)) {
			const { propertyName, name, parent } = declaration;
			const field = checker.getTypeAtLocation(parent).getProperty((propertyName ?? name).getText());
			(field && aliased(field))?.declarations?.forEach(use);
		} else if (
			ts.isVariableDeclaration(declaration) ||
			ts.isPropertyAssignment(declaration) ||
			ts.isPropertyDeclaration(declaration)
		) {
			if (declaration.initializer) followOnce(declaration.initializer);
		}
	};

	const follow = (node: ts.Node): void => {
		if (ts.isTypeNode(node)) return;
		if (isFunction(node) || ts.isCallExpression(node)) {
			reached.add(pathOf(node.getSourceFile().fileName));
		}
		if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
			symbolOf(node)?.declarations?.forEach(use);
		ts.forEachChild(node, follow);
	};

	entries.forEach(follow);
	return reached;
}

/** What an import or export of the name stands for. */
const aliased = (symbol: ts.Symbol) =>
	symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

function symbolOf(name: ts.Identifier | ts.PrivateIdentifier): ts.Symbol | undefined {
	const found = ts.isShorthandPropertyAssignment(name.parent)
		? checker.getShorthandAssignmentValueSymbol(name.parent)
		: checker.getSymbolAtLocation(name);
	return found && aliased(found);
}

/** The methods that a call of this member of an interface may run: those of classes that fit it. */
function methodsFor(member: ts.MethodSignature | ts.PropertySignature): ts.ClassElement[] {
	const type = checker.getTypeAtLocation(member.parent);
	return (elements.get(member.name.getText()) ?? []).filter(({ parent }) =>
		checker.isTypeAssignableTo(checker.getTypeAtLocation(parent), type),
	);
}

function entriesOf(names: readonly string[]): ts.Node[] {
	const entries: ts.Node[] = [];
	const look = (node: ts.Node): void => {
		const isMember = ts.isClassElement(node) && ts.isClassDeclaration(node.parent);
		const member = isMember ? `${node.parent.name?.text}.${node.name?.getText()}` : '';
		const called = ts.isCallExpression(node) ? node.expression.getText() : '';
		if (names.includes(member) || names.includes(called)) entries.push(node);
		ts.forEachChild(node, look);
	};
	sources.forEach(look);
	return entries;
}

/** `lib/ledger` and its like; all of a node is one room. */
const roomOf = (file: string) =>
	file
		.split('/')
		.slice(0, 2)
		.join('/')
		.replace(/\/\w+\.ts$/, '');

for (const [path, entry] of Object.entries(PATHS)) {
	const entries = entriesOf(entry);
	if (entries.length === 0) throw new Error(`No entry point of the path '${path}' was found.`);
	const reached = [...reach(entries)].sort();
	const rooms = new Set(reached.map(roomOf));
	console.log(`${path}: ${reached.length} files in ${rooms.size} rooms`);
	if (process.argv.includes('--files')) console.log(reached.map((file) => `  ${file}`).join('\n'));
}
