import { validationFailed } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import { addDays, atWallTime, dayIn, isDay } from '#lib/days.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import { DEFAULT_TASK_FIELDS, FIELDS_OF_TEMPLATE, pickFields } from '#resources/tasks/fields.ts'
import { loadProjectContext } from '#resources/tasks/project-context.ts'
import { defaultStatus } from '#resources/tasks/rules/status.ts'
import { projectTagsByIds } from '#resources/tasks/statements/related.ts'
import { createTaskTree, type TaskSeed } from '#resources/tasks/writing/create-task-tree.ts'
import { fieldError } from '#wire/field-error.ts'
import type { instantiateTemplate, TemplateTask } from './internal.ts'
import type { LoadedTemplate } from './load.ts'

/** Creates the tasks of a template at the end of its project. */
export const createTasksFromTemplate: Operation<
  typeof instantiateTemplate,
  LoadedTemplate
> = async (tx, template, { body }) => {
  const { project_id } = template
  const timezone = tx.actor.workspace_timezone
  const { on = dayIn(timezone, tx.now), title } = body
  const tasks = JSON.parse(template.tasks) as TemplateTask[]
  const context = await loadProjectContext(tx, project_id)
  if (!context) throw new Error('A template of a project that is not there')
  const toDay = (days: number | null) => {
    const day = days === null ? null : addDays(on, days)
    if (day === null || isDay(day)) return day
    throw validationFailed(
      fieldError('on', 'invalid_range', 'must place every task between the years 1970 and 9999'),
    )
  }
  const { key: status } = defaultStatus(context.statuses)
  const assigneeIds = new Set(tasks.flatMap(({ assignee_ids }) => assignee_ids))
  const withAccess = await findMembersWithAccess(tx, project_id, [...assigneeIds])
  const ids = [...new Set(tasks.flatMap(({ tag_ids }) => tag_ids))]
  const tags = new Set((await tx.all(projectTagsByIds, { project_id, ids })).map(({ id }) => id))
  const seeds = tasks.map((task, index): TaskSeed => {
    const { parent, blocked_by } = task
    const due_date = toDay(task.due_in_days)
    return {
      fields: {
        ...DEFAULT_TASK_FIELDS,
        // A template that was stored before a field was added does not have it.
        ...pickFields({ ...DEFAULT_TASK_FIELDS, ...task }, FIELDS_OF_TEMPLATE),
        ...(index === 0 && title !== undefined && { title }),
        status,
        due_date,
        assignee_ids: task.assignee_ids.filter((id) => withAccess.has(id)),
        tag_ids: task.tag_ids.filter((id) => tags.has(id)),
        start_date: toDay(task.start_in_days),
        due_at:
          due_date === null || task.due_time === null
            ? null
            : atWallTime(due_date, timezone, task.due_time),
      },
      parent,
      blocked_by,
    }
  })
  assertNotArchived(context)
  return createTaskTree(tx, context, seeds, { parent_id: null })
}
