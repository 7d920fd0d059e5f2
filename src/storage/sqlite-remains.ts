import type { DatabaseSync } from 'node:sqlite'
import type { Told } from './migrate.ts'
import { meaningOf } from './sqlite-session.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** Between two steps the process has time for requests. */
const BREATH_MS = 100
/** Pages that a step of merging writes: some milliseconds. */
const PAGES = 64

const INDEXES = ['task_words', 'comment_words'] as const

/**
 * Takes away what outlives its deletion: words stay in the index of a search until its parts are merged,
 * and pages in the log written ahead until it is begun anew. Once an hour, and the words once a day; only
 * while nothing is being written (`isFree`), and in small steps. A disk that fails is told.
 */
export function removeRemains(
  db: DatabaseSync,
  isFree: () => boolean,
  told: Told = () => {},
): { stop(): void } {
  let timer: NodeJS.Timeout
  let mergedAt = Date.now()
  let merging: (() => boolean) | undefined

  const later = (ms: number) => {
    timer = setTimeout(step, ms).unref()
  }
  const step = (): void => later(isFree() ? done() : BREATH_MS)
  /** Does a little; gives the milliseconds until there is more to do. */
  function done(): number {
    if (!merging && Date.now() - mergedAt >= DAY_MS) {
      mergedAt = Date.now()
      merging = mergeWords(db)
    }
    try {
      if (merging?.()) return BREATH_MS
      truncateLog(db)
    } catch (error) {
      // Another process, the command line say, is writing.
      if (meaningOf(error) === 'again') return BREATH_MS
      told('What is deleted could not be overwritten', { error: String(error) })
    }
    merging = undefined
    return HOUR_MS
  }
  later(HOUR_MS)
  return { stop: () => clearTimeout(timer) }
}

/** Begins the log anew, with nothing in it; while somebody still reads from it, it does not. */
export const truncateLog = (db: DatabaseSync): void => {
  db.exec('pragma wal_checkpoint(truncate)')
}

/** Merges the parts of the indexes into one, without what is deleted; each call is a step, false at the end. */
export function mergeWords(db: DatabaseSync): () => boolean {
  const total = db.prepare('select total_changes() as n')
  const changes = () => Number(total.get()?.n)
  const left = INDEXES.map((index) => ({
    merge: db.prepare(`insert into ${index} (${index}, rank) values ('merge', ?)`),
    // Below zero: all parts are to be merged, however few they are.
    pages: -PAGES,
  }))
  return () => {
    const [index] = left
    if (!index) return false
    const before = changes()
    index.merge.run(index.pages)
    index.pages = PAGES
    // So says SQLite that there is nothing left to merge.
    if (changes() - before < 2) left.shift()
    return left.length > 0
  }
}
