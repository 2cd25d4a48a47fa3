import { waitFor } from '../../support/wait';

const SHORT = { what: 'the twentieth look', timeoutMs: 5, everyMs: 1 };

it('the time of a wait begins again with each progress', async () => {
	let looks = 0;
	const look = () => ++looks === 20;
	await expect(waitFor(look, { ...SHORT, progress: () => looks })).resolves.toBe(true);
});

it('a wait without progress ends, and says what for', async () => {
	const wait = waitFor(() => false, { ...SHORT, progress: () => 'always the same' });
	await expect(wait).rejects.toThrow('Waited 0.005 s for the twentieth look, in vain.');
});
