import { dayIn, normalizeTimestamp } from '#lib/days.ts'

/** An object of untrusted JSON: any member may be missing or of any type. */
export type JsonObject = Readonly<Record<string, unknown>>

export const asJsonObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

export const asJsonObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(asJsonObject) : []

/** A string, or a number as a string; null for anything else and for blank strings. */
export const asText = (value: unknown): string | null => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** A number, or a text that is one; NaN for anything else, of which `Number` may throw. */
export const asNumber = (value: unknown): number => Number(asText(value) ?? Number.NaN)

/**
 * The day of a timestamp in a time zone; a text that is none stays as it is. These tools write the
 * year 1 for no date.
 */
export const asDay = (value: unknown, timezone: string): string | null => {
  const written = asText(value)
  if (written === null || written.startsWith('0001-')) return null
  const timestamp = normalizeTimestamp(written)
  return timestamp === undefined ? written : dayIn(timezone, timestamp)
}

/** The day on which something is due, and the time if the value is a timestamp. */
export const asDue = (value: unknown, timezone: string) => ({
  due_date: asDay(value, timezone),
  due_at: normalizeTimestamp(asText(value) ?? '') ?? null,
})
