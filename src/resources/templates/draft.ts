import { dayIn, daysBetween, wallTimeOf } from '#lib/days.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { placesOf } from '#resources/tasks/operations/copy.ts'
import { type Fault, fault } from '#wire/fault.ts'
import type { Static } from '#wire/schema.ts'
import type { TemplateTask, updateTemplate } from './internal.ts'

type Kept = NonNullable<Static<(typeof updateTemplate)['body']>['tasks']>

const FURTHEST = 3_650

/** What a template has of tasks, of which the first is the topmost: days count from its start, or its making. */
export function templateTasks(tree: readonly Task[], timezone: string): TemplateTask[] {
  const [top] = tree
  if (!top) return []
  const first = top.start_date ?? dayIn(timezone, top.created_at)
  // What is years away from the others was hardly meant by days.
  const after = (day: string | null) => {
    const days = day === null ? null : daysBetween(first, day)
    return days !== null && Math.abs(days) <= FURTHEST ? days : null
  }
  const places = placesOf(tree)
  return tree.map((task, at) => {
    const { title, description, priority, assignee_ids, tag_ids } = task
    const due_in_days = after(task.due_date)
    return {
      ...{ title, description, priority, assignee_ids, tag_ids },
      start_in_days: after(task.start_date),
      due_in_days,
      due_time:
        task.due_at === null || due_in_days === null ? null : wallTimeOf(timezone, task.due_at),
      estimate_seconds: task.estimate_seconds,
      custom_fields: task.custom_fields,
      ...places(task, at),
    }
  })
}

/** The tasks of a template that stay, changed; and what is wrong with the wish. */
export function changedTasks(
  before: readonly TemplateTask[],
  kept: Kept,
): { tasks: TemplateTask[]; faults: Fault[] } {
  const faults: Fault[] = []
  const now = new Map(kept.map(({ from }, at) => [from, at]))
  const at = (place: number) => now.get(place) ?? 0
  const tasks = kept.flatMap(({ from, title, start_in_days, due_in_days }, place) => {
    const path = `tasks[${place}]`
    const task = before[from]
    const last = kept[place - 1]?.from ?? -1
    if (!task || from <= last || (place === 0 && from !== 0)) {
      const why = 'must be a place of a task, in ascending order, the topmost first'
      faults.push(fault(`${path}.from`, 'invalid_value', why))
      return []
    }
    if (task.parent !== null && !now.has(task.parent)) {
      const why = 'stands under a task that goes: it goes, too'
      faults.push(fault(`${path}.from`, 'invalid_value', why))
    }
    const start = start_in_days === undefined ? task.start_in_days : start_in_days
    const due = due_in_days === undefined ? task.due_in_days : due_in_days
    if (start !== null && due !== null && start > due) {
      const why = 'must not be after due_in_days'
      faults.push(fault(`${path}.start_in_days`, 'invalid_range', why))
    }
    return [
      {
        ...task,
        title: title ?? task.title,
        start_in_days: start,
        due_in_days: due,
        due_time: due === null ? null : task.due_time,
        parent: task.parent === null ? null : at(task.parent),
        blocked_by: task.blocked_by.filter((one) => now.has(one)).map(at),
      },
    ]
  })
  return { tasks, faults }
}
