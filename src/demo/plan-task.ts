import { loadTask, loadTaskToWrite } from '#resources/tasks/load.ts'
import { completeLoadedTask } from '#resources/tasks/operations/complete.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { timeOfDay, variedTime } from './demo-calendar.ts'
import type { DemoPerson, DemoProject, DemoTask } from './demo-definitions.ts'
import { type DemoContext, type DemoStep, demoTaskId, type TaskLoader } from './demo-step.ts'
import { planComments } from './plan-comments.ts'
import { planTimeEntries } from './plan-time-entries.ts'

const SECONDS_PER_HOUR = 3_600
/** Tasks are created in the morning, in their order, so that one can refer to those before it. */
const FIRST_CREATION_SECONDS = 9 * SECONDS_PER_HOUR
const SECONDS_BETWEEN_CREATIONS = 43

type DemoTaskUpdate = Parameters<typeof updateLoadedTask>[2]

/** The steps of a task: it is created, worked on, discussed and completed. */
export function planTask(
  context: DemoContext,
  project: DemoProject,
  demoTask: DemoTask,
  index: number,
): DemoStep[] {
  const { calendar, tasks } = context
  const { by = 'jonas', assignees = [], days, reviewOn, canceledOn, postponed } = demoTask
  const [createdOn, startedOn, completedOn] = days
  const key = demoTask.key ?? `${project} ${index}`
  const worker = assignees[0] ?? by
  const seconds = FIRST_CREATION_SECONDS + index * SECONDS_BETWEEN_CREATIONS
  const steps: DemoStep[] = [
    {
      at: calendar.timeOn(createdOn, timeOfDay(seconds)),
      by,
      event: 'task.created',
      run: async (tx) => {
        const input = toTaskInput(context, project, demoTask)
        tasks.set(key, (await createTaskFromInput(tx, input)).id)
      },
    },
  ]
  const change = (on: number, hour: number, who: DemoPerson, input: DemoTaskUpdate) =>
    steps.push({
      at: calendar.timeOn(on, variedTime(hour, index)),
      by: who,
      run: async (tx) =>
        updateLoadedTask(tx, await loadTaskToWrite(tx, demoTaskId(context, key)), input),
    })
  if (startedOn !== undefined) change(startedOn, 11, worker, { status: 'in_progress' })
  if (postponed) change(postponed.on, 12, by, { due_date: calendar.dayOf(postponed.due) })
  if (reviewOn !== undefined) change(reviewOn, 16.5, worker, { status: 'in_review' })
  if (canceledOn !== undefined) change(canceledOn, 17.5, by, { status: 'canceled' })
  if (completedOn !== undefined) {
    steps.push({
      at: calendar.timeOn(completedOn, variedTime(17, index)),
      by: worker,
      event: 'task.completed',
      run: async (tx) =>
        completeLoadedTask(tx, await loadTaskToWrite(tx, demoTaskId(context, key))),
    })
  }
  const load: TaskLoader = (tx) => loadTask(tx, demoTaskId(context, key))
  steps.push(...planComments(context, demoTask, index, load))
  steps.push(...planTimeEntries(context, demoTask, index, load))
  return steps
}

function toTaskInput(
  context: DemoContext,
  project: DemoProject,
  demoTask: DemoTask,
): Parameters<typeof createTaskFromInput>[1] {
  const { people, calendar } = context
  const { id: project_id, tags } = context.projects[project]
  const { title, description = null, priority = 'none', hours, parent, days } = demoTask
  const [, startedOn, completedOn] = days
  const day = (offset: number | undefined) => (offset === undefined ? null : calendar.dayOf(offset))
  return {
    project_id,
    title,
    description,
    status: demoTask.isBacklog ? 'backlog' : 'todo',
    priority,
    assignee_ids: (demoTask.assignees ?? []).map((person) => people[person]).toSorted(),
    tag_ids: (demoTask.tags ?? []).map((tag) => tags.get(tag) ?? '').toSorted(),
    start_date: day(demoTask.start ?? (completedOn === undefined ? undefined : startedOn)),
    due_date: day(demoTask.due ?? completedOn),
    estimate_seconds: hours === undefined ? null : hours * SECONDS_PER_HOUR,
    parent_id: parent === undefined ? null : demoTaskId(context, parent),
    blocked_by_ids: (demoTask.blockedBy ?? []).map((key) => demoTaskId(context, key)),
  }
}
