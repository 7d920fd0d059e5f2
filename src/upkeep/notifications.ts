import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { tell, tellOfWebhook } from '#storage/notifications.ts'
import {
  crowdedInboxes,
  type DueFor,
  dueKey,
  failingWebhooks,
  forgetOldTold,
  thinInbox,
  untoldDue,
  zonesOfMembers,
} from '#storage/notifications-due.ts'
import { roundOfWorkspaces } from './workspaces.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const AT_ONCE = 100
/** What was due before that nobody is told: it would come in a heap after a long sleep. */
const LATE_DAYS = 2
const KEPT_DAYS = 90
/** So many a person and workspace are kept; the oldest go. */
const KEPT = 1_000

/**
 * Tells people of what no write tells: that tasks of theirs are due or overdue, by the days of their own
 * zone, and that a webhook has failed for an hour. Each is told once, whoever comes round.
 */
export const tellWhatIsDue = (storage: Storage) =>
  roundOfWorkspaces(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const found = await storage.read(actor, async (tx) => {
      const before = timestampOf(tx.instant - HOUR_MS)
      const failing = await tx.all(failingWebhooks, { before })
      const due: { one: DueFor; today: string }[] = []
      for (const { timezone } of await tx.all(zonesOfMembers, {})) {
        const today = dayIn(timezone, tx.now)
        const days = { timezone, from: addDays(today, -LATE_DAYS), today, limit: AT_ONCE }
        for (const one of await tx.all(untoldDue, days)) due.push({ one: dated(one), today })
      }
      return { failing, due }
    })
    if (found.due.length + found.failing.length === 0) return false
    await storage.write(actor, async (tx) => {
      for (const { one, today } of found.due) {
        const { task_id, due_date } = one
        const detail = due_date === today ? 'today' : 'overdue'
        const key = dueKey(detail, task_id, due_date)
        await tell(tx, { kind: 'due', key, detail, subject_id: task_id, task_id }, [one])
      }
      for (const { id, failing_since } of found.failing) {
        await tellOfWebhook(tx, { id, detail: 'failing', since: failing_since ?? '' })
      }
    })
    return false
  })

const dated = ({ due_date, ...one }: Omit<DueFor, 'due_date'> & { due_date: string | null }) => ({
  ...one,
  due_date: due_date ?? '',
})

/** Forgets what people were told long ago. */
export const forgetTold = (storage: Storage) => async (): Promise<boolean> => {
  const before = timestampOf(storage.clock.now() - KEPT_DAYS * DAY_MS)
  const forgotten = await storage.write(NOBODY, (tx) =>
    tx.run(forgetOldTold, { before, limit: AT_ONCE }),
  )
  return forgotten === AT_ONCE
}

/** Forgets the oldest of whoever is told more than anybody reads. */
export const thinInboxes = (storage: Storage) =>
  roundOfWorkspaces(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const crowded = await storage.read(actor, (tx) => tx.all(crowdedInboxes, { kept: KEPT }))
    for (const { user_id } of crowded) {
      await storage.write(actor, (tx) => tx.run(thinInbox, { user_id, kept: KEPT }))
    }
    return false
  })
