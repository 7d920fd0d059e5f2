import type { listTasks } from '#resources/tasks/contract.ts'
import { type CallResult, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import {
  LocalReplica,
  type ReplicaChange,
  type VersionedRecord,
} from '../../replica/local-replica.ts'
import { parsePosition } from '../live/feed-position.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { bootState } from '../session/boot.ts'
import { loadTasks } from './load-tasks.ts'
import type { Task } from './task-patch.ts'
import {
  getServerTask,
  isTaskNeeded,
  setTaskRecords,
  showRecords,
  showUnsent,
} from './task-store.ts'

/** The most ids of a request. */
const MAX_IDS = 100
/** The first pause after a failed attempt; each later one is four times as long, up to the maximum. */
const RETRY_MS = 500
const MAX_RETRY_MS = 8_000

/**
 * The server's records of the tasks that this page holds: all of the opened projects, and single
 * ones that were read. What the page shows is these with the pending changes on top
 * (`task-store.ts`).
 */
export const taskReplica = new LocalReplica<Task>({
  load: loadTasks,
  read: readTasks,
  waitToRetry,
  isNeeded: isTaskNeeded,
  onChange: showChanges,
  onScopeChange() {
    for (const listener of [...scopeListeners]) listener()
  },
})

setTaskRecords(taskReplica.get)
mutationQueue.subscribe(() => showUnsent(mutationQueue.get().map(({ payload }) => payload)))

beginWithBoot(taskReplica)

/** Follows the changes of the session from the boot data on; another session begins anew. */
export function beginWithBoot<R extends VersionedRecord>(replica: LocalReplica<R>): void {
  const begin = () => {
    const position = bootState.get()?.position
    if (position === undefined) return
    const { history, n } = parsePosition(position)
    if (replica.history === history) return
    for (const name of [...replica.scopeNames]) replica.release(name)
    replica.follow({ history, after: n, n, changes: [] })
  }
  bootState.subscribe(begin)
  begin()
}

const scopeListeners = new Set<() => void>()
const recordListeners = new Set<(changes: readonly TaskTransition[]) => void>()

/** The record of a task before and after a change; undefined if the page does not have it. */
export interface TaskTransition {
  id: string
  before: Task | undefined
  task: Task | undefined
}

/** Calls back when a scope has another state. Returns an unsubscribe function. */
export function subscribeToScopes(listener: () => void): () => void {
  scopeListeners.add(listener)
  return () => void scopeListeners.delete(listener)
}

/** Calls back when records have changed. Returns an unsubscribe function. */
export function subscribeToRecords(
  listener: (changes: readonly TaskTransition[]) => void,
): () => void {
  recordListeners.add(listener)
  return () => void recordListeners.delete(listener)
}

function showChanges(ids: ReadonlySet<string>): void {
  const changes = [...ids].map((id) => ({
    id,
    before: getServerTask(id),
    task: taskReplica.get(id),
  }))
  showRecords(ids)
  for (const listener of [...recordListeners]) listener(changes)
}

/** Waits longer after each failed attempt, but not once the network or the session is back. */
export async function waitToRetry(failedAttempts: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stepMs = Math.min(RETRY_MS * 4 ** (failedAttempts - 1), MAX_RETRY_MS)
  const timer = setTimeout(resolve, stepMs * (1 + Math.random() / 4))
  const retryNow = () => {
    if (!hasSessionEnded.get()) resolve()
  }
  addEventListener('online', retryNow)
  const stop = hasSessionEnded.subscribe(retryNow)
  await promise
  clearTimeout(timer)
  removeEventListener('online', retryNow)
  stop()
}

/** Reads single tasks; those that do not exist are left out. */
async function readTasks(ids: readonly string[]) {
  const query = { id: [...ids], limit: MAX_IDS }
  const { body, changeNumber = 0 } = await requestEndpointForResult<typeof listTasks>(
    'GET /api/v1/tasks',
    { query },
  )
  const changes = body.data.map((record): ReplicaChange<Task> => ({ op: 'put', record }))
  return { n: changeNumber, changes }
}

/** A task in the reply to a write of this page. */
export interface WrittenTask {
  task: Task
  /** The number of the write; undefined if the server repeats an earlier reply. */
  changeNumber: number | undefined
}

/** Stores a task from the reply to a write. One in a repeated reply may have changed since. */
export async function takeTaskReply({ task, changeNumber }: WrittenTask): Promise<void> {
  if (changeNumber === undefined) await taskReplica.read([task.id])
  else taskReplica.takeReply({ op: 'put', record: task }, changeNumber)
}

/** Sends a read of tasks, and stores what it brings. */
export async function queryTasks<Body>(
  request: () => Promise<CallResult<Body>>,
  pick: (body: Body) => readonly Task[],
): Promise<Body> {
  const { body } = await taskReplica.query(async () => {
    // A copy of the offline cache has no number, and knows less than everything else.
    const { body, changeNumber: n = 0 } = await request()
    return { body, n, records: pick(body) }
  })
  return body
}
