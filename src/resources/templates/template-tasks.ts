import { dayIn, daysBetween, wallTimeOf } from '#lib/days.ts'
import { FIELDS_OF_TEMPLATE, pickFields, type Task } from '#resources/tasks/fields.ts'
import { indexTree } from '#resources/tasks/operations/copy.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type { Static } from '#wire/schema-builders.ts'
import { MAX_DAYS_APART, type TemplateTask, type updateTemplate } from './internal.ts'

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
