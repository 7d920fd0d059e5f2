import type { ReadTx } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { loadTaskToWrite } from '#resources/tasks/load.ts'
import { completeLoadedTask } from '#resources/tasks/operations/complete.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { updateLoadedTask } from '#resources/tasks/operations/update.ts'
import { create as createTimeEntry } from '#resources/time-entries/operations.ts'
import { type DemoContext, type DemoStep, demoTaskId, operationInput } from './demo-step.ts'

const THURSDAY = 4
const HISTORY_WEEKS = 11
const REVIEW_SECONDS = 1_800
const keyOf = (week: number) => `weekly review ${week}`

/**
 * The steps of a recurring task, which was completed on each Thursday of the history. The next
 * occurrence is due on the coming one.
 */
export function planWeeklyReview(context: DemoContext): DemoStep[] {
  const { calendar, people, projects, tasks } = context
  const next = calendar.daysUntil(THURSDAY)
  const first = next - HISTORY_WEEKS * 7
  const steps: DemoStep[] = [
    {
      at: calendar.timeOn(first - 1, '09:04:10'),
      by: 'jonas',
      event: 'task.created',
      run: async (tx) => {
        const task = await createTaskFromInput(tx, {
          project_id: projects.website.id,
          title: 'Weekly review with everybody',
          description: 'What went out, what is stuck, what comes next. Half an hour, no slides.',
          status: 'todo',
          assignee_ids: [people.jonas, people.maya].toSorted(),
          due_date: calendar.dayOf(first),
          estimate_seconds: REVIEW_SECONDS,
          recurrence: { rrule: 'FREQ=WEEKLY', basis: 'due_date' },
        })
        tasks.set(keyOf(0), task.id)
      },
    },
  ]
  for (let week = 0; first + week * 7 < 0; week += 1) {
    const on = first + week * 7
    const load = (tx: ReadTx) => loadTaskToWrite(tx, demoTaskId(context, keyOf(week)))
    steps.push({
      at: calendar.timeOn(on, '14:00:30'),
      by: 'jonas',
      run: async (tx) => updateLoadedTask(tx, await load(tx), { status: 'in_progress' }),
    })
    steps.push({
      at: calendar.timeOn(on, '14:35:20'),
      by: 'jonas',
      run: async (tx) => {
        const task = await load(tx)
        const body = {
          duration_seconds: REVIEW_SECONDS,
          started_at: timestampOf(tx.nowMs - REVIEW_SECONDS * 1_000),
        }
        return createTimeEntry(tx, task, operationInput({ id: task.id }, body))
      },
    })
    steps.push({
      at: calendar.timeOn(on, '14:36:05'),
      by: 'jonas',
      event: 'task.completed',
      run: async (tx) => {
        await completeLoadedTask(tx, await load(tx))
        const created = tx.events.findLast(({ kind }) => kind === 'task.created')
        if (created) tasks.set(keyOf(week + 1), created.subject_id)
      },
    })
  }
  return steps
}
