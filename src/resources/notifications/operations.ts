import { viewerId } from '#core/actor.ts'
import { validationFailed } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import {
  noteNotificationChange,
  parseNotificationPreferences,
  saveNotificationPreferences,
} from '#db/notifications/notify.ts'
import type { NotificationRow } from '#db/schema/tables.ts'
import type { Json } from '#lib/json.ts'
import type { LoadedTask } from '#resources/tasks/load.ts'
import { fieldError } from '#wire/field-error.ts'
import * as internal from './internal.ts'
import { MAX_MARKED_NOTIFICATIONS } from './internal.ts'
import {
  type NotificationListRow,
  notificationSettingsOfViewer,
  openNotificationIds,
  putTaskWatch,
  selectNotifications,
  setNotificationMarks,
  taskWatchOfViewer,
  unreadNotificationCount,
} from './store.ts'

export const list: Operation<typeof internal.listNotifications> = async (
  tx,
  _,
  { query: { kind, state = 'open' }, page },
) => {
  const queryShape = { order: toListOrder(page, null), kind: kind !== undefined, state }
  const bound = { ...toPageWindow(page), kind: kind ?? '', now: tx.now }
  const rows = await tx.all(selectNotifications(queryShape), bound)
  const listed = rows.map((row) => ({ id: row.id, json: notificationJson(row) }))
  return page.toPage(listed, false, { unread: await countUnreadNotifications(tx) })
}

function notificationJson(row: NotificationListRow): Json<internal.Notification> {
  const { id, kind, read_at, done_at, snoozed_until, created_at, due_date } = row
  const { actor_id, actor_name, task_id, comment_id, webhook_id } = row
  return JSON.stringify({
    id,
    kind,
    detail: row.detail,
    actor: actor_id === null ? null : { id: actor_id, name: actor_name },
    task: task_id && {
      id: task_id,
      short_id: `${row.prefix}-${row.number}`,
      title: row.title,
      project_id: row.project_id,
      due_date,
    },
    comment: comment_id && { id: comment_id, excerpt: row.excerpt },
    webhook: webhook_id && { id: webhook_id, url: row.url },
    approval: row.approval_id && {
      id: row.approval_id,
      credential_name: row.credential_name,
      endpoint: row.endpoint,
      record_count: Number(row.record_count),
    },
    read_at,
    done_at,
    snoozed_until,
    created_at,
  }) as Json<internal.Notification>
}

type NotificationMarks = Partial<Pick<NotificationRow, 'read_at' | 'done_at' | 'snoozed_until'>>

export const mark: Operation<typeof internal.markNotifications> = async (tx, _, { body }) => {
  const { read, done, snoozed_until } = body
  if (typeof snoozed_until === 'string' && snoozed_until <= tx.now) {
    throw validationFailed(fieldError('snoozed_until', 'invalid_range', 'must be in the future'))
  }
  const marks: NotificationMarks = {
    ...(read !== undefined && { read_at: read ? tx.now : null }),
    // A notification that is done has been read; one that comes back from snoozing is unread.
    ...(done === true && { done_at: tx.now, read_at: tx.now }),
    ...(done === false && { done_at: null }),
    ...(typeof snoozed_until === 'string' && { snoozed_until, read_at: null }),
    ...(snoozed_until === null && { snoozed_until }),
  }
  const limit = internal.MAX_MARKED_NOTIFICATIONS
  const ids =
    body.ids ?? (await tx.all(openNotificationIds, { now: tx.now, limit })).map(({ id }) => id)
  const columns = (Object.keys(marks) as (keyof NotificationMarks)[]).toSorted()
  const [first = ''] = ids
  const changedCount =
    ids.length > 0 ? await tx.run(setNotificationMarks(columns), { ...marks, ids }) : 0
  // One change notification is enough: clients reload the whole list.
  if (changedCount > 0) noteNotificationChange(tx, first, viewerId(tx.actor))
  return { ids: [...ids], unread: await countUnreadNotifications(tx) }
}

export const getSettings: Operation<typeof internal.getNotificationSettings> = (tx) =>
  readSettings(tx)

export const updateSettings: Operation<typeof internal.updateNotificationSettings> = async (
  tx,
  _,
  { body: { kinds = {}, digest_hour, quiet_hours } },
) => {
  const before = await readSettings(tx)
  const settings = {
    kinds: {
      mentioned: { ...before.kinds.mentioned, ...kinds.mentioned },
      assigned: { ...before.kinds.assigned, ...kinds.assigned },
      commented: { ...before.kinds.commented, ...kinds.commented },
      due: { ...before.kinds.due, ...kinds.due },
      webhook: { ...before.kinds.webhook, ...kinds.webhook },
      approval: { ...before.kinds.approval, ...kinds.approval },
    },
    digest_hour: digest_hour ?? before.digest_hour,
    quiet_hours: quiet_hours === undefined ? before.quiet_hours : quiet_hours,
  }
  const user_id = viewerId(tx.actor)
  await saveNotificationPreferences(tx, user_id, settings)
  noteNotificationChange(tx, user_id, user_id)
  return settings
}

const readSettings = async (tx: ReadTx) =>
  parseNotificationPreferences((await tx.one(notificationSettingsOfViewer, {}))?.wishes ?? null)

export const getWatch: Operation<typeof internal.getTaskWatch, LoadedTask> = (tx, { id }) =>
  readWatch(tx, id)

export const updateWatch: Operation<typeof internal.updateTaskWatch, LoadedTask> = async (
  tx,
  { id },
  { body: { watching } },
) => {
  const before = await readWatch(tx, id)
  if (before.watching === watching) return before
  await tx.run(putTaskWatch, { task_id: id, is_muted: watching ? 0 : 1 })
  noteNotificationChange(tx, id, viewerId(tx.actor))
  return readWatch(tx, id)
}

async function readWatch(tx: ReadTx, task_id: string): Promise<internal.TaskWatch> {
  const row = await tx.one(taskWatchOfViewer, { task_id })
  if (!row || row.is_muted === 1) return { watching: false, reason: null }
  if (row.given !== null) return { watching: true, reason: 'assigned' }
  if (row.created_by_id === tx.actor.user_id) return { watching: true, reason: 'created' }
  return row.is_muted === 0
    ? { watching: true, reason: 'chosen' }
    : { watching: false, reason: null }
}

/** The number of unread rows in the inbox of the actor: tasks and webhooks, not single notifications. */
export async function countUnreadNotifications(tx: ReadTx): Promise<number> {
  const unread = await tx.one(unreadNotificationCount, {
    now: tx.now,
    limit: MAX_MARKED_NOTIFICATIONS,
  })
  return Number(unread?.count ?? 0)
}
