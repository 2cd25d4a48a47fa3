/** Time that only the test moves, for each test of a file. */
export function useStoppedClock(): void {
	beforeEach(() => {
		jest.useFakeTimers();
	});

	afterEach(() => {
		jest.clearAllTimers();
		jest.useRealTimers();
	});
}
