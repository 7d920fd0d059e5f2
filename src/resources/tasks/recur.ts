import type { WriteTx } from '#core/tx.ts'
import { addDays, dayIn, daysBetween, wallTimeOn } from '#lib/days.ts'
import { nextDay, withCountReduced } from '#lib/recurrence.ts'
import type { Core, Setting } from './core.ts'
import type { Task } from './fields.ts'
import { insert } from './insert.ts'
import { membersAmong } from './related.ts'
import { defaultStatus } from './rules/status.ts'

/**
 * Creates the next occurrence of a recurring task that is completed by this operation (contract 6.2):
 * undefined when its rule is exhausted. `task` is as it was on completion, with its recurrence.
 */
export async function recur(tx: WriteTx, setting: Setting, task: Task) {
  const { recurrence } = task
  if (recurrence === null) return undefined
  const timezone = tx.actor.workspace_timezone
  const today = dayIn(timezone, tx.now)
  const { due_date: due } = task
  const day = nextDay(recurrence.rrule, { basis: recurrence.basis, due_date: due ?? today, today })
  if (day === undefined) return undefined
  const members = await tx.all(membersAmong, { ids: task.assignee_ids })
  const core: Core = {
    title: task.title,
    description: task.description,
    status: defaultStatus(setting.statuses).key,
    priority: task.priority,
    assignee_ids: members.map(({ user_id }) => user_id).toSorted(),
    tag_ids: task.tag_ids,
    start_date:
      task.start_date === null || due === null
        ? null
        : addDays(task.start_date, daysBetween(due, day)),
    due_date: day,
    due_at: task.due_at === null ? null : wallTimeOn(day, timezone, task.due_at),
    parent_id: task.parent_id,
    estimate_seconds: task.estimate_seconds,
    blocked_by_ids: [],
    recurrence: { ...recurrence, rrule: withCountReduced(recurrence.rrule) },
    custom_fields: task.custom_fields,
    external_source: null,
    external_id: null,
    metadata: task.metadata,
  }
  const created_by_id = tx.actor.user_id ?? task.created_by_id
  return insert(tx, setting, core, { created_by_id, recurred_from_id: task.id })
}
