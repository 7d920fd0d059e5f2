import type { Query } from '@tanstack/react-query'
import type { listTasks } from '#resources/tasks/contract.ts'
import { isRetryable } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import {
  invalidate,
  queryClient,
  refetchAll,
  refetchLists,
  refetchSoon,
} from '../cache/query-client.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { scheduleCountsReload } from '../session/counts.ts'
import { forgetLatestFields } from '../tasks/recount-overdue.ts'
import { forgetRemovals } from '../tasks/removed-tasks.ts'
import {
  cachedTaskIds,
  evictUnshownTasks,
  getPendingChanges,
  getServerTask,
  isTaskMounted,
  isTempId,
  putTasks,
  removeCachedTask,
  subscribeToTasks,
} from '../tasks/task-store.ts'
import { awaitsReply } from './awaits-reply.ts'
import type { LiveEvent } from './live-message.ts'
import { isFeedFollowed, markChange } from './live-state.ts'
import { recordNotice } from './noticed-records.ts'
import { isOwnOperation } from './own-operations.ts'
import { refetchDeletedNotifications } from './refetch-notifications.ts'
import { requestIndexRefetch } from './settled-changes.ts'
import { staleQueryKeys } from './stale-query-keys.ts'
import { refetchTasksSoon, staleTaskIds } from './stale-tasks.ts'

/** Applies a notice about a write. The feed of changes may tell of the same write. */
export function applyLiveEvent(notice: LiveEvent): void {
  recordNotice(notice)
  refetchStaleData(notice)
}

/** Being added to a project or removed from it (`person`) changes which projects the person can see. */
const BOOT_NOUNS: ReadonlySet<string> = new Set([
  'project',
  'member',
  'person',
  'view',
  'workspace',
])

/** Refetches the data on the screen that another client's write has made stale. */
export function refetchStaleData(notice: LiveEvent): void {
  const { noun, id, op, version } = notice
  markChange()
  // The person may have deleted a comment that has notified them.
  if (noun === 'comment' && op === 'delete') refetchDeletedNotifications()
  if (isOwnOperation(notice.operation_id)) return
  if (noun === 'task') {
    if (op === 'delete') removeCachedTask(id, version === undefined ? {} : { version })
    else if (
      isTaskMounted(id) &&
      (getServerTask(id)?.version ?? 0) <= (version ?? Number.MAX_SAFE_INTEGER)
    )
      refetchTasksSoon([id])
    else evictUnshownTasks([id])
    refetchLists()
    refetchSoon(['activity', id])
    refetchSoon(['notifications'])
    return
  }
  for (const key of staleQueryKeys(notice)) refetchSoon(key)
  if (noun === 'notification') scheduleCountsReload()
  if (BOOT_NOUNS.has(noun)) scheduleBootReload(REFETCH_DELAY_MS)
}

/** Handles an unknown number of missed events: refetches what is on the screen, evicts the rest. */
export function applyLiveReset(): void {
  forgetLatestFields()
  // The person may have got back what was taken from them a moment ago.
  forgetRemovals()
  void refetchAll()
  scheduleBootReload(REFETCH_DELAY_MS)
  evictUnshownTasks(cachedTaskIds())
  refetchTasksSoon([...cachedTaskIds()].filter((id) => TASK_ID.test(id)))
}

const FOLLOWED_KEYS: ReadonlySet<unknown> = new Set([
  'index',
  'tasks',
  'task',
  'search',
  'activity',
  'comments',
  'time',
  'attachments',
  'tags',
  'members',
])

/** Whether the feed of changes keeps a query up to date, while it is followed (`applyFeedChanges`). */
const isKeptByFeed = ([key]: readonly unknown[]): boolean => FOLLOWED_KEYS.has(key)

/** Handles missed notices while the feed is followed: refetches what it does not tell about. */
export function applyNoticeReset(): void {
  void invalidate({ predicate: ({ queryKey }) => !isKeptByFeed(queryKey) })
  scheduleBootReload(REFETCH_DELAY_MS)
}

// After an outage the feed goes on from where it was, so it tells what has changed meanwhile.
addEventListener('online', () => {
  refetchIfStale()
  const predicate = ({ queryKey, state }: Query) =>
    state.status === 'error' || !isKeptByFeed(queryKey)
  if (isFeedFollowed.get())
    void queryClient.refetchQueries(
      { type: 'active', stale: true, predicate },
      { cancelRefetch: false },
    )
})

/** Excludes the temporary ids of tasks that are being created. */
const TASK_ID = /^tsk_/
const REFETCH_DELAY_MS = 250
/** Above this number of stale tasks, refetches are spaced out: nobody can follow each change. */
const MANY_STALE_TASKS = 10
const MANY_STALE_TASKS_INTERVAL_MS = 1_000
const MAX_RETRY_DELAY_MS = 30_000
const MAX_TASKS_PER_REQUEST = 100

let timer: ReturnType<typeof setTimeout> | undefined
/** On the clock of `performance.now()`, which nobody sets back. */
let notBeforeAt = 0
let failures = 0

function scheduleRefetch(ms: number): void {
  if (timer === undefined)
    timer = setTimeout(refetchStaleTasks, Math.max(ms, notBeforeAt - performance.now()))
}

const refetchIfStale = () => {
  if (staleTaskIds.get().size > 0 && !hasSessionEnded.get()) scheduleRefetch(REFETCH_DELAY_MS)
}
staleTaskIds.subscribe(refetchIfStale)
// What refetches all queries after a new sign-in does not read the tasks of the store.
hasSessionEnded.subscribe(refetchIfStale)
refetchIfStale()

/** Refetches stale tasks. One with pending local changes waits: their replies will be newer. */
async function refetchStaleTasks(): Promise<void> {
  if (!navigator.onLine) {
    timer = undefined
    return
  }
  if (staleTaskIds.get().size > MANY_STALE_TASKS)
    notBeforeAt = performance.now() + MANY_STALE_TASKS_INTERVAL_MS
  // The server knows none by a temporary id, and refuses the request with one.
  const stale = [...staleTaskIds.get()].filter((id) => !isTempId(id))
  const ids = stale.filter((id) => !awaitsReply(id)).slice(0, MAX_TASKS_PER_REQUEST)
  staleTaskIds.set(new Set(stale.filter((id) => !ids.includes(id))))
  try {
    if (ids.length > 0) await fetchTasks(ids)
    failures = 0
  } catch (error) {
    failures += 1
    if (isRetryable(error) || hasSessionEnded.get()) refetchTasksSoon(ids)
  }
  timer = undefined
  if (staleTaskIds.get().size > 0 && !hasSessionEnded.get()) {
    scheduleRefetch(Math.min(REFETCH_DELAY_MS * 4 * 2 ** failures, MAX_RETRY_DELAY_MS))
  }
}

async function fetchTasks(ids: readonly string[]): Promise<void> {
  const query = { id: [...ids], limit: MAX_TASKS_PER_REQUEST }
  const page = await requestEndpoint<typeof listTasks>('GET /api/v1/tasks', { query })
  const changed = page.data.filter(
    ({ id, version }) => version > (getServerTask(id)?.version ?? Number.POSITIVE_INFINITY),
  )
  putTasks(page.data, { byOthers: true })
  // A screen that was drawn anew by its index before showed these tasks as they were.
  for (const { project_id } of changed) requestIndexRefetch(['index', project_id])
  const found = new Set(page.data.map(({ id }) => id))
  // Deleted, or moved to a project that the person cannot see, while events were missed.
  for (const id of ids) {
    if (found.has(id)) continue
    if (getPendingChanges(id).length > 0) missingTaskIds.add(id)
    else removeCachedTask(id)
  }
}

/** Tasks that the server does not have, which are shown as long as a change of them is unsaved. */
const missingTaskIds = new Set<string>()
subscribeToTasks(() => {
  const settled = [...missingTaskIds].filter((id) => getPendingChanges(id).length === 0)
  if (settled.length === 0) return
  for (const id of settled) missingTaskIds.delete(id)
  refetchTasksSoon(settled)
})
