import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import {
  type DueTaskRecipient,
  deleteOldNotifications,
  dueNotificationKey,
  dueTasksToNotify,
  failingWebhooks,
  hideTrimmedNotifications,
  memberTimezones,
  oversizedInboxes,
  timezonesInWorkspaces,
  trimInbox,
  workspacesWithDueTasks,
  workspacesWithFailingWebhooks,
} from '#db/notifications/due-notifications.ts'
import { notify, notifyWebhookManagers } from '#db/notifications/notify.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { forEachPendingWorkspace, forEachWorkspace } from './for-each-workspace.ts'

const MAX_ROWS = 100
/**
 * Tasks overdue for longer cause no notification: after a long downtime there would be too many.
 */
const MAX_OVERDUE_DAYS = 2
const RETENTION_DAYS = 90
/** How many are kept per person and workspace; the oldest are deleted. */
const MAX_NOTIFICATIONS = 1_000
/** How long the job looks for a notification of a due task: in any time zone, and a day to spare. */
const DUE_KEY_DAYS = MAX_OVERDUE_DAYS + 2

/**
 * Creates the notifications that only the clock causes: tasks that are due or overdue in the time
 * zone of their assignee, and webhooks that have failed for an hour. Each is created once, by any
 * process.
 */
export const createDueNotifications = (storage: Storage) =>
  forEachPendingWorkspace(storage, workspacesToNotify, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const pending = await storage.read(actor, async (tx) => {
      const before = timestampOf(tx.nowMs - HOUR_MS)
      const failing = await tx.all(failingWebhooks, { before })
      const due: { one: DueTaskRecipient; today: string }[] = []
      for (const { timezone } of await tx.all(memberTimezones, {})) {
        const today = dayIn(timezone, tx.now)
        const days = { timezone, ...dueDaysUntil(today), limit: MAX_ROWS }
        for (const one of await tx.all(dueTasksToNotify, days))
          due.push({ one: withDueDate(one), today })
      }
      return { failing, due }
    })
    if (pending.due.length + pending.failing.length === 0) return false
    const hasMore = pending.due.length >= MAX_ROWS
    await storage.write(actor, async (tx) => {
      for (const { one, today } of pending.due) {
        const { task_id, due_date } = one
        const detail = due_date === today ? 'today' : 'overdue'
        const key = dueNotificationKey(detail, task_id, due_date)
        await notify(tx, { kind: 'due', key, detail, subject_id: task_id, task_id }, [one])
      }
      for (const { id, failing_since } of pending.failing) {
        await notifyWebhookManagers(tx, { id, detail: 'failing', since: failing_since ?? '' })
      }
    })
    return hasMore
  })

const dueDaysUntil = (today: string) => ({ from: addDays(today, -MAX_OVERDUE_DAYS), today })

/** The workspaces of a range in which the clock may have caused notifications. */
async function workspacesToNotify(
  tx: ReadTx,
  range: { after: string; through: string },
): Promise<ReadonlySet<string>> {
  const before = timestampOf(tx.nowMs - HOUR_MS)
  const rows = await tx.all(workspacesWithFailingWebhooks, { ...range, before })
  const members = await tx.all(timezonesInWorkspaces, range)
  const zones = Object.groupBy(members, ({ timezone }) => dayIn(timezone, tx.now))
  for (const [today, users = []] of Object.entries(zones)) {
    const timezones = users.map(({ timezone }) => timezone)
    const days = { ...range, ...dueDaysUntil(today), timezones }
    rows.push(...(await tx.all(workspacesWithDueTasks, days)))
  }
  return new Set(rows.map(({ id }) => id))
}

const withDueDate = ({
  due_date,
  ...one
}: Omit<DueTaskRecipient, 'due_date'> & { due_date: string | null }) => ({
  ...one,
  due_date: due_date ?? '',
})

/** Purges old notifications. */
export const purgeOldNotifications = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - RETENTION_DAYS * DAY_MS)
  const purged = await storage.write(ANONYMOUS_ACTOR, (tx) =>
    tx.run(deleteOldNotifications, { before, limit: MAX_ROWS }),
  )
  return purged === MAX_ROWS
}

/**
 * Deletes the oldest notifications of people who have more than the maximum. Those that a job would
 * create again only leave the inbox.
 */
export const trimInboxes = (storage: Storage) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const crowded = await storage.read(actor, (tx) =>
      tx.all(oversizedInboxes, { kept: MAX_NOTIFICATIONS }),
    )
    for (const { user_id } of crowded) {
      await storage.write(actor, async (tx) => {
        const since = timestampOf(tx.nowMs - DUE_KEY_DAYS * DAY_MS)
        const oldest = { user_id, since, kept: MAX_NOTIFICATIONS }
        await tx.run(hideTrimmedNotifications, oldest)
        await tx.run(trimInbox, oldest)
      })
    }
    return false
  })
