import type { RecordType } from '#wire/scopes.ts'

/** Of the changes that have the same number, those that say what is gone come before all records. */
export const TOMBSTONE_RANK = 0

/** After everything with a number, and greater than the rank of any record. */
const END_RANK = 9

/** A place among the numbered changes: the number, the rank and the key of the last change sent. */
export type Place = [number: number, rank: number, key: string]

/** A place in a list of all records, which a snapshot or a `reset` begins. */
export interface Walk {
  /**
   * `all`: the members and all projects. `members`: these alone. Else the id of a project, or of a
   * person whose comments are listed.
   */
  of: string
  /** The project whose records are listed; `''` while the members are. */
  project: string
  stage: WalkStage
  /** The tasks after number `from` and up to `to` are listed, next is what belongs to them. */
  from: number
  to: number
  /** The last record of the stage: the number of its task, and its id. */
  task: number
  id: string
}

export type WalkStage = 'author' | RecordType

/** Where a reader of the feed stands. */
export interface FeedPosition {
  /** The history that the numbers belong to. */
  history: string
  place: Place
  /** Records to list before the numbered changes go on. */
  walk?: Walk
}

export const endOf = (number: number): Place => [number, END_RANK, '']

export const isEnd = ([, rank]: Place): boolean => rank === END_RANK

/** The key after which the rows of a rank begin that have the number of the place. */
export function keyAfter([, rank, key]: Place, of: number): string {
  if (of === rank) return key
  return of > rank ? '' : AFTER_ALL_KEYS
}

/** Greater than every key: ids are ASCII letters, digits and `_`. */
export const AFTER_ALL_KEYS = '~'

export function startWalk(of: string): Walk {
  const start = { of, project: '', from: 0, to: 0, task: 0, id: '' }
  if (of.startsWith('prj_')) return { ...start, project: of, stage: 'project' }
  return { ...start, stage: of.startsWith('usr_') ? 'author' : 'member' }
}
