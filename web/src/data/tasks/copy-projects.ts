import { delay } from '../../lib/browser/delay.ts'
import { runWhenIdle } from '../../lib/browser/run-when-idle.ts'
import { cacheReplies } from '../../lib/http/reply-cache.ts'
import {
  type CopyHead,
  chunkKey,
  chunkOf,
  headKey,
  type ProjectCopyChunk,
} from './project-copies.ts'
import type { Task } from './task-patch.ts'
import { subscribeToRecords, subscribeToScopes, taskReplica } from './task-replica.ts'

/** Others may change tasks all the time, and each write takes part of a frame. */
const INTERVAL_MS = 2_000
const MAX_IDLE_WAIT_MS = 1_000

/**
 * Stores the held projects in the browser and keeps them up to date, so that the next page opens with
 * what this one has shown last. Several tabs that hold a project store the same. Returns a function that
 * ends it.
 */
export function copyProjects(): () => void {
  /** Chunks that differ from the stored ones, by project; all of a project that is not among them. */
  const changed = new Map<string, Set<string>>()
  const stored = new Map<string, CopyHead>()
  let isScheduled = false
  let hasEnded = false

  const write = () => {
    if (hasEnded) return
    for (const name of taskReplica.scopeNames) writeCopy(name)
  }
  const writeWhenIdle = () => runWhenIdle(write, MAX_IDLE_WAIT_MS)
  const schedule = async () => {
    if (isScheduled) return
    isScheduled = true
    await delay(INTERVAL_MS)
    isScheduled = false
    writeWhenIdle()
  }
  const writeCopy = (project_id: string) => {
    const { mode } = taskReplica.getScopeState(project_id) ?? {}
    if (mode === 'unavailable') {
      stored.delete(project_id)
      cacheReplies([[headKey(project_id), 'null']])
    }
    const former = stored.get(project_id)
    const chunks = changed.get(project_id)
    if (former && !chunks) return
    const copy = taskReplica.copyScope(project_id)
    if (!copy) return
    const { history, n, records } = copy
    changed.delete(project_id)
    const isWhole = former?.history !== history
    const rows = Map.groupBy(records, chunkOf)
    const written = [...rows].filter(([chunk]) => isWhole || chunks?.has(chunk))
    const kept = isWhole ? [] : Object.entries(former.chunks).filter(([chunk]) => rows.has(chunk))
    const head: CopyHead = {
      history,
      n,
      chunks: Object.fromEntries([...kept, ...written.map(([chunk]) => [chunk, n] as const)]),
    }
    stored.set(project_id, head)
    cacheReplies([
      ...written.map(([chunk, tasks]): [string, string] => {
        const content: ProjectCopyChunk = { n, tasks: tasks.map(toRow) }
        return [chunkKey(project_id, chunk), JSON.stringify(content)]
      }),
      // At the end: without it, or one of the chunks that it names, the copy is not read.
      [headKey(project_id), JSON.stringify(head)],
    ])
  }
  const stops = [
    subscribeToScopes(writeWhenIdle),
    subscribeToRecords((records) => {
      for (const task of records.flatMap(({ before, task }) => [before ?? [], task ?? []].flat())) {
        const chunks = changed.get(task.project_id) ?? new Set()
        changed.set(task.project_id, chunks.add(chunkOf(task)))
      }
      void schedule()
    }),
  ]
  // Before the page writes its replies for the last time.
  addEventListener('pagehide', write, { capture: true })
  writeWhenIdle()
  return () => {
    hasEnded = true
    removeEventListener('pagehide', write, { capture: true })
    for (const stop of stops) stop()
  }
}

/** A task without its long texts, which are read when it is opened. */
const toRow = ({ description: _, custom_fields: __, metadata: ___, ...row }: Task): Task => row
