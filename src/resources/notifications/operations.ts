import { invalid } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import type { Json } from '#lib/json.ts'
import type { FoundTask } from '#resources/tasks/load.ts'
import { keepWishes } from '#storage/notification-settings.ts'
import { noteNotification, wishesOf } from '#storage/notifications.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { NotificationRow } from '#storage/tables.ts'
import { fault } from '#wire/fault.ts'
import * as internal from './internal.ts'
import { unreadOf } from './load.ts'
import {
  markSome,
  notificationsWhere,
  openIds,
  putWatch,
  type Shown,
  settingsOf,
  watchOf,
} from './store.ts'

export const list: Operation<typeof internal.listNotifications> = async (
  tx,
  _,
  { query: { kind, state = 'open' }, page },
) => {
  const shape = { order: orderOf(page, null), kind: kind !== undefined, state }
  const bound = { ...windowOf(page), kind: kind ?? '', now: tx.now }
  const rows = await tx.all(notificationsWhere(shape), bound)
  return page.cut(rows.map((one) => ({ id: one.id, json: jsonOf(one) })))
}

function jsonOf(row: Shown): Json<internal.Notification> {
  const { id, kind, read_at, done_at, snoozed_until, created_at, due_date } = row
  const { actor_id, actor_name, task_id, comment_id, webhook_id } = row
  return JSON.stringify({
    ...{ id, kind, detail: row.detail },
    actor: actor_id === null ? null : { id: actor_id, name: actor_name },
    task: task_id && {
      ...{ id: task_id, short_id: `${row.prefix}-${row.number}`, title: row.title },
      ...{ project_id: row.project_id, due_date },
    },
    comment: comment_id && { id: comment_id, excerpt: row.excerpt },
    webhook: webhook_id && { id: webhook_id, url: row.url },
    ...{ read_at, done_at, snoozed_until, created_at },
  }) as Json<internal.Notification>
}

type Marks = Partial<Pick<NotificationRow, 'read_at' | 'done_at' | 'snoozed_until'>>

export const mark: Operation<typeof internal.markNotifications> = async (tx, _, { body }) => {
  const { read, done, snoozed_until } = body
  if (typeof snoozed_until === 'string' && snoozed_until <= tx.now) {
    throw invalid(fault('snoozed_until', 'invalid_range', 'must be in the future'))
  }
  const marks: Marks = {
    ...(read !== undefined && { read_at: read ? tx.now : null }),
    // What is done was seen; what comes back is new.
    ...(done === true && { done_at: tx.now, read_at: tx.now }),
    ...(done === false && { done_at: null }),
    ...(typeof snoozed_until === 'string' && { snoozed_until, read_at: null }),
    ...(snoozed_until === null && { snoozed_until }),
  }
  const limit = internal.MOST_MARKED
  const ids = body.ids ?? (await tx.all(openIds, { now: tx.now, limit })).map(({ id }) => id)
  const columns = (Object.keys(marks) as (keyof Marks)[]).toSorted()
  const [first = ''] = ids
  const marked = ids.length > 0 ? await tx.run(markSome(columns), { ...marks, ids }) : 0
  // One notice will do: whoever hears it reads the list again.
  if (marked > 0) noteNotification(tx, first, tx.actor.user_id ?? '', 'update')
  return { ids: [...ids], unread: await unreadOf(tx) }
}

export const settings: Operation<typeof internal.getSettings> = (tx) => wishesIn(tx)

export const changeSettings: Operation<typeof internal.changeSettings> = async (
  tx,
  _,
  { body: { kinds = {}, digest_hour } },
) => {
  const now = await wishesIn(tx)
  const wishes = {
    kinds: {
      mentioned: { ...now.kinds.mentioned, ...kinds.mentioned },
      assigned: { ...now.kinds.assigned, ...kinds.assigned },
      commented: { ...now.kinds.commented, ...kinds.commented },
      due: { ...now.kinds.due, ...kinds.due },
      webhook: { ...now.kinds.webhook, ...kinds.webhook },
    },
    digest_hour: digest_hour ?? now.digest_hour,
  }
  const user_id = tx.actor.user_id ?? ''
  await keepWishes(tx, user_id, wishes)
  noteNotification(tx, user_id, user_id, 'update')
  return wishes
}

const wishesIn = async (tx: ReadTx) => wishesOf((await tx.one(settingsOf, {}))?.wishes ?? null)

export const watch: Operation<typeof internal.getWatch, FoundTask> = (tx, { id }) => watchIn(tx, id)

export const changeWatch: Operation<typeof internal.changeWatch, FoundTask> = async (
  tx,
  { id },
  { body: { watching } },
) => {
  const now = await watchIn(tx, id)
  if (now.watching === watching) return now
  await tx.run(putWatch, { task_id: id, is_muted: watching ? 0 : 1 })
  noteNotification(tx, id, tx.actor.user_id ?? '', 'update')
  return watchIn(tx, id)
}

async function watchIn(tx: ReadTx, task_id: string): Promise<internal.Watch> {
  const found = await tx.one(watchOf, { task_id })
  if (!found || found.is_muted === 1) return { watching: false, reason: null }
  if (found.given !== null) return { watching: true, reason: 'assigned' }
  if (found.created_by_id === tx.actor.user_id) return { watching: true, reason: 'created' }
  return found.is_muted === 0
    ? { watching: true, reason: 'chosen' }
    : { watching: false, reason: null }
}
