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

/** The day of a timestamp. These tools write the year 1 for no date. */
export const asDay = (value: unknown): string | null => {
  const written = asText(value)
  return written === null || written.startsWith('0001-') ? null : written.slice(0, 10)
}
