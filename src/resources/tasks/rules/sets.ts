import { type Fault, fault } from '#wire/fault.ts'

/** A set as a request changes it: whole, or by what to add and to remove. */
export interface SetChange {
  whole?: readonly string[] | undefined
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

/** A changed set in ascending order, and under which path each of its new members was asked for. */
export interface ChangedSet {
  ids: string[]
  gained: { id: string; path: string }[]
}

/** Applies a change; adding what is there or removing what is not changes nothing (contract 6.2). */
export function changedSet(
  name: string,
  before: readonly string[],
  { whole, add = [], remove = [] }: SetChange,
  most: number,
  faults: Fault[],
): ChangedSet {
  const present = new Set(before)
  const asked = whole ?? add
  const path = whole ? name : `add_${name}`
  const kept = whole ? [] : before.filter((id) => !remove.includes(id))
  const ids = [...new Set([...kept, ...asked])].toSorted()
  if (ids.length > most) faults.push(fault(path, 'too_many', `may lead to ${most} at most`))
  const gained = asked.flatMap((id, at) =>
    present.has(id) ? [] : [{ id, path: `${path}[${at}]` }],
  )
  return { ids, gained }
}
