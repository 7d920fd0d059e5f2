import type { Query } from '@tanstack/react-query'
import { invalidate, queryClient, refetchAll, refetchSoon } from '../cache/query-client.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { scheduleCountsReload } from '../session/counts.ts'
import type { LiveEvent } from './live-message.ts'
import { markChange } from './live-state.ts'
import { recordNotice } from './noticed-records.ts'
import { isOwnOperation } from './own-operations.ts'
import { refetchDeletedNotifications } from './refetch-notifications.ts'
import { staleQueryKeys } from './stale-query-keys.ts'

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
  const { noun, op } = notice
  markChange()
  // The person may have deleted a comment that has notified them.
  if (noun === 'comment' && op === 'delete') refetchDeletedNotifications()
  if (isOwnOperation(notice.operation_id)) return
  for (const key of staleQueryKeys(notice)) refetchSoon(key)
  if (noun === 'notification') scheduleCountsReload()
  if (BOOT_NOUNS.has(noun)) scheduleBootReload(REFETCH_DELAY_MS)
}

/** Handles an unknown number of missed events: refetches what is on the screen. */
export function applyLiveReset(): void {
  void refetchAll()
  scheduleBootReload(REFETCH_DELAY_MS)
}

const REFETCH_DELAY_MS = 250

const FOLLOWED_KEYS: ReadonlySet<unknown> = new Set([
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

/** Whether the feed of changes keeps a query up to date (`applyFeedChanges`). */
const isKeptByFeed = ([key]: readonly unknown[]): boolean => FOLLOWED_KEYS.has(key)

/** Handles missed notices: refetches what the feed does not tell about. */
export function applyNoticeReset(): void {
  void invalidate({ predicate: ({ queryKey }) => !isKeptByFeed(queryKey) })
  scheduleBootReload(REFETCH_DELAY_MS)
}

// After an outage the feed goes on from where it was, so it tells what has changed meanwhile.
addEventListener('online', () => {
  const predicate = ({ queryKey, state }: Query) =>
    state.status === 'error' || !isKeptByFeed(queryKey)
  void queryClient.refetchQueries(
    { type: 'active', stale: true, predicate },
    { cancelRefetch: false },
  )
})
