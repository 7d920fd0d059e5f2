import type { listNotifications } from '#resources/notifications/internal.ts'
import { type Reversal, showToast } from '../../data/app/toasts.ts'
import { fetchAllPages } from '../../data/cache/fetch-all-pages.ts'
import { refetchSoon } from '../../data/cache/query-client.ts'
import { cancelMutation, mutationLog } from '../../data/mutations/mutation-queue.ts'
import {
  type NotificationPatch,
  patchNotification,
  planRestoration,
  TAB_QUERIES,
} from '../../data/resources/notification-marks.ts'
import {
  INBOX_QUERY_KEY,
  MARK_ADDRESS,
  type Notification,
} from '../../data/resources/notifications.ts'
import { subscribeToClock } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { getSubjectName, type NotificationGroup } from './notification-groups.ts'

const MAX_MARKED_PER_REQUEST = 1_000

/** Changes notifications: shown in the same frame and queued. Returns an undo. */
function patchNotifications(
  all: readonly Notification[],
  patch: NotificationPatch,
  label: string,
): Reversal {
  const undos: (() => void)[] = []
  for (let at = 0; at < all.length; at += MAX_MARKED_PER_REQUEST)
    undos.push(enqueueMark(all.slice(at, at + MAX_MARKED_PER_REQUEST), patch, label))
  if (patch.snoozed_until) refetchAfter(patch.snoozed_until)
  return () => {
    for (const undo of undos) undo()
    return () => patchNotifications(all, patch, label)
  }
}

/** Refetches the inbox after a snooze, whose end the server does not announce. */
function refetchAfter(until: string): void {
  const stop = subscribeToClock(() => {
    if (Date.now() < Date.parse(until)) return
    stop()
    refetchSoon([INBOX_QUERY_KEY])
  })
}

function enqueueMark(
  notifications: readonly Notification[],
  patch: NotificationPatch,
  label: string,
): () => void {
  const key = crypto.randomUUID()
  const sent = { body: { ids: notifications.map(({ id }) => id), ...patch } }
  mutationLog.add({
    // One queue for all marks, because the same notification may be marked again before the reply.
    ...{ key, queueKey: 'inbox', label },
    payload: { kind: 'request', address: MARK_ADDRESS, sent, queries: [INBOX_QUERY_KEY], label },
  })
  return () => {
    if (!cancelMutation(key)) restore(notifications, patch)
  }
}

/** Sends the inverse of a mark that may have reached the server. */
function restore(before: readonly Notification[], patch: NotificationPatch): void {
  for (const { notifications, patches } of planRestoration(before)) {
    let current = notifications.map((one) => patchNotification(one, patch))
    for (const restored of patches) {
      patchNotifications(current, restored, inboxMessages.movedBack(current.length))
      current = current.map((one) => patchNotification(one, restored))
    }
  }
}

/** Marks a group as done, or moves it back to the inbox. */
export function markGroupDone({ notifications }: NotificationGroup, done: boolean): void {
  const text = done
    ? inboxMessages.markedDone(notifications.length)
    : inboxMessages.movedBack(notifications.length)
  const undo = patchNotifications(notifications, { done }, text)
  showToast({ text, ...(done && { undo }) })
}

/**
 * Marks every open notification as done. `loaded` are those on the screen; the others are fetched
 * first, because a mark that waits for the network must not apply to what arrives until then.
 */
export async function markAllDone(
  loaded: readonly Notification[],
  hasMore: boolean,
): Promise<void> {
  try {
    const all = hasMore ? await fetchOpenNotifications() : loaded
    const text = inboxMessages.markedDone(all.length)
    showToast({ text, undo: patchNotifications(all, { done: true }, text) })
  } catch (error) {
    showErrorToast(error)
  }
}

const fetchOpenNotifications = (): Promise<Notification[]> =>
  fetchAllPages((page) =>
    requestEndpoint<typeof listNotifications>('GET /internal/notifications', {
      query: { ...TAB_QUERIES.all, ...page },
    }),
  )

/** Marks all notifications of a group as read or unread. */
export function markGroupRead({ newest, notifications }: NotificationGroup, read: boolean): void {
  const name = getSubjectName(newest)
  const label = read ? inboxMessages.read(name) : inboxMessages.unreadOf(name)
  patchNotifications(notifications, { read }, label)
}

/** Hides a group until the given time. `label` is that time in words. */
export function snoozeGroup(
  { notifications }: NotificationGroup,
  until: string,
  label: string,
): void {
  const text = inboxMessages.snoozed(label)
  showToast({ text, undo: patchNotifications(notifications, { snoozed_until: until }, text) })
}
