import assert from 'node:assert/strict'

/**
 * Fails unless a value matches a part of it: in objects only the named fields are compared, in
 * arrays all items in order. Node's own partialDeepStrictEqual accepts any array for an empty one.
 */
export function assertPartialMatch(value: unknown, part: unknown, where: string): void {
  assert.deepEqual(pickNamedFields(value, part), part, where)
}

/** Reduces a value to the fields that the part names. */
function pickNamedFields(value: unknown, part: unknown): unknown {
  if (Array.isArray(part)) {
    return Array.isArray(value) ? value.map((one, at) => pickNamedFields(one, part[at])) : value
  }
  if (typeof part !== 'object' || part === null) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const named: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(part)) {
    if (name in value) named[name] = pickNamedFields((value as Record<string, unknown>)[name], one)
  }
  return named
}
