import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import type { SchemaEventListener } from '../migrate/schema-version.ts'
import { classifySqliteError } from './session.ts'

/** Pause between two steps, in which the process serves requests. */
const STEP_PAUSE_MS = 100
/** Pages that one merge step writes, which takes a few milliseconds. */
const PAGES_PER_STEP = 64

const WORD_INDEXES = ['task_words', 'comment_words'] as const

/**
 * Overwrites data that outlives its deletion: words stay in an FTS5 index until its segments are
 * merged, and pages stay in the write-ahead log until it is truncated. The log is truncated once an
 * hour and the words are merged once a day, in small steps while nothing is being written (`isFree`).
 * Disk errors are reported.
 */
export function scheduleDeletedDataPurge(
  db: DatabaseSync,
  isFree: () => boolean,
  onEvent: SchemaEventListener = () => {},
): { stop(): void } {
  let timer: NodeJS.Timeout
  let mergedAt = Date.now()
  let merging: (() => boolean) | undefined

  const schedule = (ms: number) => {
    timer = setTimeout(step, ms).unref()
  }
  const step = (): void => schedule(isFree() ? runStep() : STEP_PAUSE_MS)
  /** Runs one step; returns the milliseconds until the next. */
  function runStep(): number {
    if (!merging && Date.now() - mergedAt >= DAY_MS) {
      mergedAt = Date.now()
      merging = createWordIndexMerge(db)
    }
    try {
      if (merging?.()) return STEP_PAUSE_MS
      truncateWal(db)
    } catch (error) {
      // Another process, such as the command line, is writing.
      if (classifySqliteError(error) === 'again') return STEP_PAUSE_MS
      onEvent('What is deleted could not be overwritten', { error: String(error) })
    }
    merging = undefined
    return HOUR_MS
  }
  schedule(HOUR_MS)
  return { stop: () => clearTimeout(timer) }
}

/** Truncates the write-ahead log, unless a reader still uses it. */
export const truncateWal = (db: DatabaseSync): void => {
  db.exec('pragma wal_checkpoint(truncate)')
}

/**
 * Merges the segments of the word indexes, which drops deleted words. Each call runs one step and
 * returns false after the last.
 */
export function createWordIndexMerge(db: DatabaseSync): () => boolean {
  const total = db.prepare('select total_changes() as n')
  const changes = () => Number(total.get()?.n)
  const remaining = WORD_INDEXES.map((index) => ({
    merge: db.prepare(`insert into ${index} (${index}, rank) values ('merge', ?)`),
    // A negative number merges all segments, however few there are.
    pages: -PAGES_PER_STEP,
  }))
  return () => {
    const [index] = remaining
    if (!index) return false
    const before = changes()
    index.merge.run(index.pages)
    index.pages = PAGES_PER_STEP
    // FTS5 documents fewer than two changes as the sign that nothing is left to merge.
    if (changes() - before < 2) remaining.shift()
    return remaining.length > 0
  }
}
