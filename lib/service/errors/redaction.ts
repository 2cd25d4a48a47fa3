/** Takes secrets out of text that came from elsewhere, also where the server repeats them. */

export interface Redactor {
	/** From now on this text, and its usual encodings, are taken out. */
	add(secret: string): void;
	redact(text: string): string;
}

const REPLACEMENT = '[redacted]';

/** A redactor that knows these secrets; empty ones are left out. */
export function createRedactor(...secrets: readonly string[]): Redactor {
	const hidden = new Set<string>();
	const add = (secret: string) => {
		if (secret === '') return;
		for (const form of writtenForms(secret)) hidden.add(form);
	};
	secrets.forEach(add);
	return {
		add,
		redact: (text) => {
			// The longest first: a shorter form inside a longer one would leave the rest of it standing.
			const forms = [...hidden].sort((a, b) => b.length - a.length);
			return forms.reduce((rest, form) => rest.replaceAll(form, REPLACEMENT), text);
		},
	};
}

/** As is, in JSON, in a URL, in a form, in HTML, in Base64. */
function writtenForms(secret: string): string[] {
	const form = new URLSearchParams({ s: secret }).toString().slice(2);
	const bytes = Buffer.from(secret, 'utf8');
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		form,
		form.replaceAll('+', '%20'),
		secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
		bytes.toString('base64'),
		bytes.toString('base64url'),
	];
}
