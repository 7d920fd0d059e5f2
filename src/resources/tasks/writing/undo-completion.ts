import { sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { incrementCount } from '#lib/recurrence.ts'
import type { Task } from '../fields.ts'
import type { TaskProjectContext } from './task-fields.ts'

/** The next occurrence to delete, and the rule that the completed task gets back. */
export interface UndoneCompletion {
  next_id: string
  recurrence: NonNullable<Task['recurrence']>
}

type OccurrenceParams = Scoped<{ id: string; project_id: string; completed_at: string }>

/**
 * The next occurrence of a task, if it is as its completion created it: without a new version,
 * comments, files, subtasks, time entries and tasks that wait for it. It has the time of the
 * completion, by which an index finds it. A timer that runs on it changes no column of it.
 */
const untouchedOccurrence = query((db, $: OccurrenceParams) =>
  db
    .selectFrom('tasks')
    .select(['id', 'created_by_id', sql<string | null>`recurrence`.as('recurrence')])
    .where('workspace_id', '=', $.workspace_id)
    .where('updated_at', '=', $.completed_at)
    .where('recurred_from_id', '=', $.id)
    .where('project_id', '=', $.project_id)
    .where('version', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where('blocking_ids', '=', sql.lit('[]'))
    .where(sql<number>`comment_count + attachment_count + subtask_count`, '=', sql.lit(0))
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('time_entries')
            .select(sql.lit(1).as('one'))
            .where('time_entries.workspace_id', '=', $.workspace_id)
            .whereRef('time_entries.task_id', '=', 'tasks.id'),
        ),
      ),
    ),
)

/**
 * What a change of status undoes if it reopens a recurring task; undefined if somebody has changed
 * the next occurrence, or the actor may not delete it: then it keeps the rule.
 */
export async function loadUndoneCompletion(
  tx: ReadTx,
  { statuses }: TaskProjectContext,
  { id, project_id, completed_at, due_date, recurrence }: Task,
  status: string | undefined,
): Promise<UndoneCompletion | undefined> {
  const category = statuses.find(({ key }) => key === status)?.category ?? 'completed'
  if (category === 'completed' || completed_at === null || recurrence !== null) return undefined
  if (!tx.actor.scopes.has('tasks:delete')) return undefined
  const next = await tx.one(untouchedOccurrence, { id, project_id, completed_at })
  if (!next?.recurrence) return undefined
  if (tx.actor.role === 'guest' && next.created_by_id !== tx.actor.user_id) return undefined
  const rule = JSON.parse(next.recurrence) as UndoneCompletion['recurrence']
  if (rule.basis === 'due_date' && due_date === null) return undefined
  return { next_id: next.id, recurrence: { ...rule, rrule: incrementCount(rule.rrule) } }
}
