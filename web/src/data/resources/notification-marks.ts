import type { markNotifications, Notification } from '#resources/notifications/internal.ts'
import type { CallInput } from '../../lib/http/request-endpoint.ts'

/** The query of each tab of the inbox. */
export const TAB_QUERIES = {
  all: { state: 'open' },
  mentioned: { state: 'open', kind: 'mentioned' },
  assigned: { state: 'open', kind: 'assigned' },
  snoozed: { state: 'snoozed' },
  done: { state: 'done' },
} as const
export type InboxTab = keyof typeof TAB_QUERIES

/** A change of notifications. */
export type NotificationMark = CallInput<typeof markNotifications>['body']
export type NotificationPatch = Omit<NotificationMark, 'ids'>

/** The notifications of a tab with the pending marks, newest first. A mark may bring one from another tab. */
export function applyMarks(
  listed: readonly Notification[],
  known: ReadonlyMap<string, Notification>,
  marks: readonly NotificationMark[],
  tab: InboxTab,
): readonly Notification[] {
  if (marks.length === 0) return listed
  const byId = new Map(listed.map((one) => [one.id, one]))
  for (const { ids = [...byId.keys()], ...patch } of marks)
    for (const id of ids) {
      const one = byId.get(id) ?? known.get(id)
      if (one) byId.set(id, patchNotification(one, patch))
    }
  return [...byId.values()]
    .filter((one) => isInTab(one, tab))
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id))
}

/** A notification with a patch applied as the server will apply it. */
export function patchNotification(
  notification: Notification,
  { read, done, snoozed_until }: NotificationPatch,
): Notification {
  const now = new Date().toISOString()
  return {
    ...notification,
    ...(read !== undefined && { read_at: read ? now : null }),
    ...(done === true && { done_at: now, read_at: now }),
    ...(done === false && { done_at: null }),
    ...(typeof snoozed_until === 'string' && { snoozed_until, read_at: null }),
    ...(snoozed_until === null && { snoozed_until }),
  }
}

/** The id of the task or webhook of a notification: those with the same one are a row of the inbox. */
export const getSubjectId = ({ id, task, webhook }: Notification): string =>
  task?.id ?? webhook?.id ?? id

/** How many rows of the inbox these notifications make unread, as the server counts them. */
export const countUnread = (notifications: readonly Notification[]): number =>
  new Set(
    notifications
      .filter((one) => one.read_at === null && getState(one) === 'open')
      .map(getSubjectId),
  ).size

function isInTab(notification: Notification, tab: InboxTab): boolean {
  const query = TAB_QUERIES[tab]
  if ('kind' in query && query.kind !== notification.kind) return false
  return getState(notification) === query.state
}

function getState({
  done_at,
  snoozed_until,
}: Pick<Notification, 'done_at' | 'snoozed_until'>): 'open' | 'snoozed' | 'done' {
  if (done_at !== null) return 'done'
  return snoozed_until !== null && Date.parse(snoozed_until) > Date.now() ? 'snoozed' : 'open'
}

/** Patches one after the other, and the notifications that they concern. */
interface NotificationRestoration {
  notifications: readonly Notification[]
  patches: readonly NotificationPatch[]
}

/** How to give notifications their former state back, for each state that some of them had. */
export function planRestoration(before: readonly Notification[]): NotificationRestoration[] {
  const byState = Map.groupBy(before, (one) => JSON.stringify(toStatePatches(one)))
  return [...byState.values()].map((notifications) => {
    return { notifications, patches: notifications.slice(0, 1).flatMap(toStatePatches) }
  })
}

function toStatePatches(notification: Notification): NotificationPatch[] {
  const { done_at, read_at } = notification
  // A time that has passed is refused.
  const isSnoozed = getState({ ...notification, done_at: null }) === 'snoozed'
  const snoozed_until = isSnoozed ? notification.snoozed_until : null
  const [done, read] = [done_at !== null, read_at !== null]
  // Snoozing marks as unread, whatever else is in the patch.
  return isSnoozed && read ? [{ done, snoozed_until }, { read }] : [{ done, snoozed_until, read }]
}
