import { twinOf } from '#lib/id.ts'
import type { Keys } from './keys.ts'

const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

/** What ids become. People have the ids of their accounts here; what no line has the id of stays. */
export interface Renaming {
  id(id: string): string
  /** The same in all texts of a value, however deep. */
  in<T>(value: T): T
}

/**
 * Names everything anew (`fresh`), or only the people that have another id here. Without a table of
 * what was named how: a million ids take no memory.
 */
export function renaming(
  known: Keys,
  people: ReadonlyMap<string, string>,
  fresh: string | undefined,
): Renaming {
  const id = (one: string): string => {
    if (one.startsWith('usr_')) return people.get(one) ?? one
    return fresh !== undefined && known.of(one) !== undefined ? twinOf(one, fresh) : one
  }
  const isNothing = () => fresh === undefined && people.size === 0
  const through = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(ID, id)
    if (Array.isArray(value)) return value.map(through)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, through(one)]))
  }
  return { id, in: <T>(value: T) => (isNothing() ? value : (through(value) as T)) }
}
