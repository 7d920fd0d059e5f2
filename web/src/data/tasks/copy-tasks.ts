import { cacheReplies } from '../../lib/http/reply-cache.ts'
import { keepCopies } from '../session/page-replica.ts'
import { OPEN_TASKS_SCOPE, omittedProjectIds } from './load-tasks.ts'
import type { Task } from './task-patch.ts'
import {
  subscribeToRecords,
  subscribeToScopes,
  type TaskTransition,
  taskReplica,
} from './task-replica.ts'
import { type CopyHead, chunkKey, chunkOf, headKey, type TasksCopyChunk } from './tasks-copy.ts'

/** Stores the held scopes of tasks in the browser. Returns a function that ends it. */
export function copyTasks(): () => void {
  /** Chunks that differ from the stored ones, by scope; all of a scope that is not among them. */
  const changed = new Map<string, Set<string>>()
  const stored = new Map<string, CopyHead>()
  const writeCopy = (name: string) => {
    const { mode } = taskReplica.getScopeState(name) ?? {}
    if (mode === 'unavailable') {
      stored.delete(name)
      cacheReplies([[headKey(name), 'null']])
    }
    const former = stored.get(name)
    const chunks = changed.get(name)
    if (former && !chunks) return
    const copy = taskReplica.copyScope(name)
    if (!copy) return
    const { history, n, records } = copy
    changed.delete(name)
    const isWhole = former?.history !== history
    const rows = Map.groupBy(records, (task) => chunkOf(name, task))
    const written = [...rows].filter(([chunk]) => isWhole || chunks?.has(chunk))
    const kept = isWhole ? [] : Object.entries(former.chunks).filter(([chunk]) => rows.has(chunk))
    const head: CopyHead = {
      history,
      n,
      chunks: Object.fromEntries([...kept, ...written.map(([chunk]) => [chunk, n] as const)]),
      ...(name === OPEN_TASKS_SCOPE.name && { omitted_project_ids: omittedProjectIds.get() }),
    }
    stored.set(name, head)
    cacheReplies([
      ...written.map(([chunk, tasks]): [string, string] => {
        const content: TasksCopyChunk = { n, tasks: tasks.map(toRow) }
        return [chunkKey(name, chunk), JSON.stringify(content)]
      }),
      // At the end: without it, or one of the chunks that it names, the copy is not read.
      [headKey(name), JSON.stringify(head)],
    ])
  }
  const noteChanges = (records: readonly TaskTransition[]) => {
    for (const task of records.flatMap(({ before, task }) => [before ?? [], task ?? []].flat())) {
      for (const name of [task.project_id, OPEN_TASKS_SCOPE.name]) {
        const chunks = changed.get(name) ?? new Set()
        changed.set(name, chunks.add(chunkOf(name, task)))
      }
    }
  }
  const write = () => {
    for (const name of taskReplica.scopeNames) writeCopy(name)
  }
  return keepCopies(write, (schedule) => {
    const stops = [
      subscribeToScopes(schedule),
      subscribeToRecords((records) => {
        noteChanges(records)
        schedule()
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  })
}

/** A task without its long texts, which are read when it is opened. */
const toRow = ({ description: _, metadata: __, ...row }: Task): Task => row
