import { type Fault, fault } from '#wire/fault.ts'
import { MOST_MEMBERS } from '../fields.ts'

const MOST_BYTES = 16 * 1024

/** An object merged member by member: null removes one (RFC 7396). Notes what becomes too large. */
export function merged<V>(
  name: string,
  before: Record<string, V>,
  patch: Record<string, V | null> | undefined,
  faults: Fault[],
): Record<string, V> {
  if (patch === undefined) return before
  const after = Object.entries({ ...before, ...patch }).filter(
    (entry): entry is [string, V] => entry[1] !== null,
  )
  const value = Object.fromEntries(after)
  if (after.length > MOST_MEMBERS) {
    faults.push(fault(name, 'too_many', `may have ${MOST_MEMBERS} members at most`))
  }
  if (Buffer.byteLength(JSON.stringify(value)) > MOST_BYTES) {
    faults.push(fault(name, 'too_large', 'may have 16 KiB as JSON at most'))
  }
  return value
}
