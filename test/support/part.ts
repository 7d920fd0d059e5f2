import assert from 'node:assert/strict'

/**
 * Fails unless a value has the part that is wanted: of an object the fields named there, of an array
 * all items in order. (Node's own partial comparison lets an empty array pass for any.)
 */
export function assertPart(value: unknown, part: unknown, where: string): void {
  assert.deepEqual(asNamed(value, part), part, where)
}

/** As much of a value as a part of it names. */
function asNamed(value: unknown, part: unknown): unknown {
  if (Array.isArray(part)) {
    return Array.isArray(value) ? value.map((one, at) => asNamed(one, part[at])) : value
  }
  if (typeof part !== 'object' || part === null) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const named: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(part)) {
    if (name in value) named[name] = asNamed((value as Record<string, unknown>)[name], one)
  }
  return named
}
