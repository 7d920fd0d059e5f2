import type { listTasks } from '#resources/tasks/contract.ts'
import { type CallResult, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { LocalReplica, type ReplicaChange } from '../../replica/local-replica.ts'
import { mutationQueue } from '../mutations/mutation-queue.ts'
import { beginWithBoot, waitToRetry } from '../session/page-replica.ts'
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
