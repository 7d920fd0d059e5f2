import type {
  listNotifications,
  markNotifications,
  Notification,
} from '#resources/notifications/internal.ts'
import { type Reversal, showToast } from '../../data/app/toasts.ts'
import { fetchAllPages } from '../../data/cache/fetch-all-pages.ts'
import { invalidate, refetchSoon } from '../../data/cache/query-client.ts'
import { recordOwnOperation } from '../../data/live/own-operations.ts'
import {
  cancelRecordMutation,
  enqueueRecordMutation,
  showNotDone,
} from '../../data/mutations/record-mutations.ts'
import { scheduleBootReload, updateBoot } from '../../data/session/boot.ts'
import { scheduleCountsReload } from '../../data/session/counts.ts'
import { subscribeToClock } from '../../lib/dates/use-clock.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { atom } from '../../lib/state/atom.ts'
import { inboxMessages } from '../../messages/tasks/inbox.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { getSubjectName, type NotificationGroup } from './notification-groups.ts'
import {
  countUnread,
  MARK_ADDRESS,
  type NotificationMark,
  type NotificationPatch,
  patchNotification,
  planRestoration,
  TAB_QUERIES,
} from './notification-marks.ts'

/** The first part of every query key of the inbox: invalidating it reloads all tabs. */
export const INBOX_QUERY_KEY = 'notifications'

/** The changes that are shown before the server has acknowledged them, oldest first. */
export const pendingNotificationMarks = atom<readonly NotificationMark[]>([])

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
    scheduleCountsReload()
  })
}

function enqueueMark(
  notifications: readonly Notification[],
  patch: NotificationPatch,
  label: string,
): () => void {
  const key = crypto.randomUUID()
  const patched = notifications.map((one) => patchNotification(one, patch))
  const addedUnread = countUnread(patched) - countUnread(notifications)
  pendingNotificationMarks.set([...pendingNotificationMarks.get(), { key, notifications, patch }])
  addToUnreadCount(addedUnread)
  const revert = () => {
    removeMark(key)
    addToUnreadCount(-addedUnread)
  }
  enqueueRecordMutation<typeof markNotifications>({
    // One queue for all marks, because the same notification may be marked again before the reply.
    ...{ key, queueKey: 'inbox', label, queries: [INBOX_QUERY_KEY] },
    address: MARK_ADDRESS,
    sent: { body: { ids: notifications.map(({ id }) => id), ...patch } },
    async onReply({ body, operation_id, isReplayed }) {
      recordOwnOperation(operation_id)
      // A repeated reply has the count of the first time.
      if (isReplayed) scheduleBootReload()
      else updateBoot((boot) => ({ ...boot, inbox: { unread: body.unread } }))
      await invalidate({ queryKey: [INBOX_QUERY_KEY] })
      removeMark(key)
    },
    onRejected(error) {
      revert()
      showNotDone(label, error)
    },
  })
  return () => {
    if (cancelRecordMutation(key)) revert()
    else restore(notifications, patched)
  }
}

/** Sends the inverse of a mark that may have reached the server. */
function restore(before: readonly Notification[], patched: readonly Notification[]): void {
  for (const { notifications, patches } of planRestoration(before)) {
    const ids = new Set(notifications.map(({ id }) => id))
    let current = patched.filter(({ id }) => ids.has(id))
    for (const patch of patches) {
      patchNotifications(current, patch, inboxMessages.movedBack(ids.size))
      current = current.map((one) => patchNotification(one, patch))
    }
  }
}

const removeMark = (key: string): void =>
  pendingNotificationMarks.set(pendingNotificationMarks.get().filter((one) => one.key !== key))

const addToUnreadCount = (added: number): void =>
  updateBoot((boot) => ({ ...boot, inbox: { unread: Math.max(0, boot.inbox.unread + added) } }))

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
