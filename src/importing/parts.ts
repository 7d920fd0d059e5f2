/** Reads values of unknown JSON, where anything may be anything. */
export type Thing = Readonly<Record<string, unknown>>

export const thing = (value: unknown): Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Thing) : {}

export const things = (value: unknown): Thing[] => (Array.isArray(value) ? value.map(thing) : [])

/** A text, or a number as one; null: neither, or an empty one. */
export const text = (value: unknown): string | null => {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The day of a time as these tools write it; what is long ago stands for none. */
export const day = (value: unknown): string | null => {
  const written = text(value)
  return written === null || written.startsWith('0001-') ? null : written.slice(0, 10)
}
