import type { dropWaitingPushes } from '#resources/push-devices/internal.ts'
import type { StaleHint } from '#wire/stale-hint.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { invalidate, refetchAll, refetchSoon } from '../cache/query-client.ts'
import { scheduleBootReload } from '../session/boot.ts'
import { isOwnOperation } from './own-operations.ts'
import { addTaskEditor } from './task-editors.ts'

/** Being added to a project or removed from it (`person`) changes which projects the person can see. */
const BOOT_NOUNS: ReadonlySet<string> = new Set(['member', 'person', 'view', 'workspace'])

/** Refetches what a hint about a record that the feed lacks has made stale, unless this page has changed it. */
export function applyHint({ operation_id, ...hint }: StaleHint): void {
  if (operation_id !== undefined && isOwnOperation(operation_id)) return
  if (!hint.noun) {
    refetchUnfollowed()
    return
  }
  if (hint.noun === 'editor') addTaskEditor(hint.id ?? '', hint.user_id ?? '')
  for (const key of toQueryKeys(hint)) refetchSoon(key)
  if (hint.noun === 'notification') dropPushIfSeen()
  if (BOOT_NOUNS.has(hint.noun)) scheduleBootReload(REFETCH_DELAY_MS)
}

/** The keys of the queries that show a record. */
function toQueryKeys({ noun, id, project_id }: StaleHint): unknown[][] {
  switch (noun) {
    case 'notification':
      // A request that waits for a person is announced by its notification.
      return [['notifications'], ['watch'], ['approvals']]
    case 'view':
      return [['views', project_id ?? null]]
    case 'webhook':
      return [['webhooks'], ['deliveries', id]]
    case 'person':
      return [['people', project_id]]
    case 'api_key':
      return [['keys']]
    case 'workspace':
      return [['workspace']]
    default:
      return [[`${noun}s`]]
  }
}

/** Somebody who gives no sign for longer may have left the desk. */
const PRESENCE_MS = 60_000
/** On the clock of `performance.now()`. */
let lastInputAt = Number.NEGATIVE_INFINITY
for (const sign of ['pointermove', 'pointerdown', 'keydown', 'wheel']) {
  addEventListener(sign, ({ timeStamp }) => (lastInputAt = timeStamp), {
    capture: true,
    passive: true,
  })
}

/** What this page shows need not be shown on a phone as well. If the request fails, it is. */
function dropPushIfSeen(): void {
  const isPresent = performance.now() - lastInputAt < PRESENCE_MS
  if (!isPresent || document.visibilityState !== 'visible' || !document.hasFocus()) return
  requestEndpoint<typeof dropWaitingPushes>('DELETE /internal/push/waiting', {}).catch(
    () => undefined,
  )
}

/** Handles an unknown number of missed events: refetches what is on the screen. */
export function applyLiveReset(): void {
  void refetchAll()
  scheduleBootReload(REFETCH_DELAY_MS)
}

/** By then all processes of the server announce what happens in the workspace. */
const REFETCH_DELAY_MS = 250
/** A hint without a noun goes to all pages at once, which must not all ask at the same moment. */
const REFETCH_SPREAD_MS = 2_000

const FOLLOWED_KEYS: ReadonlySet<unknown> = new Set([
  'tasks',
  'task',
  'search',
  'activity',
  'members',
])

/** Whether the feed of changes keeps a query up to date (`applyFeedChanges`). */
const isKeptByFeed = ([key]: readonly unknown[]): boolean => FOLLOWED_KEYS.has(key)

let isRefetchDue = false

/** Refetches what the feed does not keep up to date: hints about it may have been missed. */
function refetchUnfollowed(): void {
  if (isRefetchDue) return
  isRefetchDue = true
  const delayMs = REFETCH_DELAY_MS + Math.random() * REFETCH_SPREAD_MS
  scheduleBootReload(delayMs)
  setTimeout(() => {
    isRefetchDue = false
    void invalidate({
      predicate: ({ queryKey, state }) => state.data !== undefined && !isKeptByFeed(queryKey),
    })
  }, delayMs)
}
