import { remapId } from '#lib/id.ts'
import type { StringInterner } from '../verify/string-interner.ts'

const ID = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g

/**
 * Maps ids of an archive to new ones. People get their account ids; ids that no line has are kept.
 */
export interface IdMapping {
  mapId(id: string): string
  /** Maps the ids in all strings of a value, at any depth. */
  mapValue<T>(value: T): T
}

/**
 * Derives new ids from `twinKey`, or maps only the people who have another id here if there is no
 * key. It keeps no table of old and new ids, so that a million ids take no memory.
 */
export function createIdMapping(
  archiveIds: StringInterner,
  people: ReadonlyMap<string, string>,
  twinKey: string | undefined,
): IdMapping {
  const mapId = (one: string): string => {
    if (one.startsWith('usr_')) return people.get(one) ?? one
    return twinKey !== undefined && archiveIds.numberOf(one) !== undefined
      ? remapId(one, twinKey)
      : one
  }
  const isIdentity = () => twinKey === undefined && people.size === 0
  const mapDeep = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(ID, mapId)
    if (Array.isArray(value)) return value.map(mapDeep)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapDeep(one)]))
  }
  return { mapId, mapValue: <T>(value: T) => (isIdentity() ? value : (mapDeep(value) as T)) }
}
