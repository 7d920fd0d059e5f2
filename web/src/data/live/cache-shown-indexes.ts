import { delay } from '../../lib/browser/delay.ts'
import { staleSince } from '../../lib/http/reply-cache.ts'
import { cacheIndex } from '../cache/project-index.ts'
import { subscribeToTasks } from '../tasks/task-store.ts'
import { selfPlacingLists } from './settled-changes.ts'

/** Writing an index of 10,000 tasks takes part of a frame, and others may change tasks all the time. */
const INTERVAL_MS = 2_000

let isScheduled = false

/**
 * Keeps what the browser has of the lists on the screen up to date with the changes that they place
 * themselves, so that the next page opens with what this one has shown last.
 */
export const cacheShownIndexes = (): (() => void) =>
  subscribeToTasks(async () => {
    if (isScheduled) return
    isScheduled = true
    await delay(INTERVAL_MS)
    isScheduled = false
    // What comes from the cache is as old as it was there.
    if (staleSince.get() !== undefined) return
    for (const { project_id, search, readIndex } of selfPlacingLists) {
      const index = readIndex?.()
      if (index) cacheIndex(project_id, search, index)
    }
  })
