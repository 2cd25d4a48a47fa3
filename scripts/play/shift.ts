/** Moves a log to another day: the times at which it was recorded, and those in its messages. */
import { isRecord } from '../../lib/shared/values';
import type { Line } from './log';

const DAY_MS = 86_400_000;

export function shifted(lines: readonly Line[], day: string): Line[] {
	const first = Math.floor((lines[0]?.at ?? 0) / DAY_MS) * DAY_MS;
	const byMs = Date.parse(`${day}T00:00:00Z`) - first;
	if (Number.isNaN(byMs)) throw new Error(`${day} is no date such as 2026-11-23.`);
	return lines.map(({ at, frame, ...line }) => ({
		...{ ...line, at: at + byMs },
		frame: { ...frame, payload: movedFields(frame.payload, byMs) },
	}));
}

const movedFields = (fields: Readonly<Record<string, unknown>>, byMs: number) =>
	Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, moved(value, byMs)]));

function moved(value: unknown, byMs: number): unknown {
	if (Array.isArray(value)) return value.map((one) => moved(one, byMs));
	if (isRecord(value)) return movedFields(value, byMs);
	if (typeof value !== 'string') return value;
	const [, date, rest] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d.*)$/.exec(value) ?? [];
	if (date === undefined || rest === undefined) return value;
	return new Date(Date.parse(`${date}T00:00:00Z`) + byMs).toISOString().slice(0, 10) + rest;
}
