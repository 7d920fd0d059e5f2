import { validationFailed } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import { addDays, atWallTime, dayIn, daysBetween, isDay, wallTimeOf } from '#lib/days.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import {
  DEFAULT_TASK_FIELDS,
  FIELDS_OF_TEMPLATE,
  pickFields,
  type Task,
} from '#resources/tasks/fields.ts'
import { loadProjectContext } from '#resources/tasks/load.ts'
import { indexTree } from '#resources/tasks/operations/copy.ts'
import { defaultStatus } from '#resources/tasks/rules/rules.ts'
import { projectTagsByIds } from '#resources/tasks/statements/related.ts'
import { createTaskTree, type TaskSeed } from '#resources/tasks/writing/create-task.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import {
  type instantiateTemplate,
  MAX_DAYS_APART,
  type TemplateTask,
  type updateTemplate,
} from './internal.ts'
import type { LoadedTemplate } from './load.ts'

type KeptTemplateTasks = NonNullable<Static<(typeof updateTemplate)['body']>['tasks']>

/**
 * Converts tasks, the topmost first, to template tasks. Days count from the start date of the
 * topmost task, or else from the day of its creation.
 */
export function toTemplateTasks(tree: readonly Task[], timezone: string): TemplateTask[] {
  const [top] = tree
  if (!top) return []
  const startDay = top.start_date ?? dayIn(timezone, top.created_at)
  // A date that is years away from the others is hardly meant as a number of days.
  const daysFromStart = (day: string | null) => {
    const days = day === null ? null : daysBetween(startDay, day)
    return days !== null && Math.abs(days) <= MAX_DAYS_APART ? days : null
  }
  const referencesOf = indexTree(tree)
  return tree.map((task, index) => {
    const due_in_days = daysFromStart(task.due_date)
    return {
      ...pickFields(task, FIELDS_OF_TEMPLATE),
      start_in_days: daysFromStart(task.start_date),
      due_in_days,
      due_time:
        task.due_at === null || due_in_days === null ? null : wallTimeOf(timezone, task.due_at),
      ...referencesOf(task, index),
    }
  })
}

/** The tasks that stay, with their changes, and the errors of the request. */
export function applyTaskChanges(
  before: readonly TemplateTask[],
  keptTasks: KeptTemplateTasks,
): { tasks: TemplateTask[]; errors: FieldError[] } {
  const errors: FieldError[] = []
  const newPlaces = new Map(keptTasks.map(({ from }, index) => [from, index]))
  const newPlaceOf = (place: number) => newPlaces.get(place) ?? 0
  const tasks = keptTasks.flatMap(({ from, title, start_in_days, due_in_days }, place) => {
    const path = `tasks[${place}]`
    const task = before[from]
    const last = keptTasks[place - 1]?.from ?? -1
    if (!task || from <= last || (place === 0 && from !== 0)) {
      const message =
        'must be the index of a task of the template; send indexes in ascending order, from 0'
      errors.push(fieldError(`${path}.from`, 'invalid_value', message))
      return []
    }
    if (task.parent !== null && !newPlaces.has(task.parent)) {
      const message = 'must not be sent without its parent task'
      errors.push(fieldError(`${path}.from`, 'invalid_value', message))
    }
    const start = start_in_days === undefined ? task.start_in_days : start_in_days
    const due = due_in_days === undefined ? task.due_in_days : due_in_days
    if (start !== null && due !== null && start > due) {
      const message = 'must not be after `due_in_days`'
      errors.push(fieldError(`${path}.start_in_days`, 'invalid_range', message))
    }
    return [
      {
        ...task,
        title: title ?? task.title,
        start_in_days: start,
        due_in_days: due,
        due_time: due === null ? null : task.due_time,
        parent: task.parent === null ? null : newPlaceOf(task.parent),
        blocked_by: task.blocked_by.filter((one) => newPlaces.has(one)).map(newPlaceOf),
      },
    ]
  })
  return { tasks, errors }
}

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
