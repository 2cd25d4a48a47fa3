import { BODY, compileTemplate, type SignedPart } from '../../../lib/signature/schemes';

function partsOf(text: string, timestamp = '17'): readonly SignedPart[] {
	const compiled = compileTemplate(text);
	if (!compiled.ok) throw new Error(compiled.problems.join(' '));
	return compiled.template.fill(timestamp);
}

function problemsOf(text: string): readonly string[] {
	const compiled = compileTemplate(text);
	return compiled.ok ? [] : compiled.problems;
}

test('placeholders are filled in and the rest stands for itself', () => {
	expect(partsOf('{timestamp}.{body}')).toEqual(['17.', BODY]);
	expect(partsOf('v0:{timestamp}:{body}')).toEqual(['v0:17:', BODY]);
	expect(partsOf('{body}')).toEqual([BODY]);
	expect(partsOf('{body}{timestamp}!')).toEqual([BODY, '17!']);
	expect(partsOf('{timestamp}/{timestamp}/{body}/{body}')).toEqual(['17/17/', BODY, '/', BODY]);
});

test('what the timestamp holds is not taken for a placeholder', () => {
	expect(partsOf('{timestamp}{body}', '{body}')).toEqual(['{body}', BODY]);
});

test('braces that hold no name are text', () => {
	expect(partsOf('{"t":{timestamp},"b":{body}}')).toEqual(['{"t":17,"b":', BODY, '}']);
	expect(partsOf('}{ {body}')).toEqual(['}{ ', BODY]);
});

test('whether the timestamp is named is known', () => {
	const named = compileTemplate('{timestamp}.{body}');
	const unnamed = compileTemplate('timestamp.{body}');
	expect(named.ok && named.template.namesTimestamp).toBe(true);
	expect(unnamed.ok && unnamed.template.namesTimestamp).toBe(false);
});

test('a template that does not name the body is refused', () => {
	for (const text of ['', 'body', '{timestamp}', '{timestamp}.body}']) {
		expect(problemsOf(text).join()).toContain('{body}');
	}
});

test('each unknown name is reported once', () => {
	const problems = problemsOf('{id}.{Body}.{ timestamp }.{}.{id}.{body}');
	expect(problems.map((problem) => problem.split(',')[0])).toEqual([
		'contains {id}',
		'contains {Body}',
		'contains { timestamp }',
		'contains {}',
	]);
});
