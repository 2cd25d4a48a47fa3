/** The bounds of a parameter that is a whole number. */
export const whole = (minValue: number, maxValue: number) => ({
	...{ minValue, maxValue, numberPrecision: 0 },
});
