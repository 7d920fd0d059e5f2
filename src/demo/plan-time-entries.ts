import { timestampOf } from '#lib/clock.ts'
import { create as createTimeEntry } from '#resources/time-entries/operations.ts'
import { type DemoCalendar, variedTime } from './demo-calendar.ts'
import type { DemoPerson, DemoTask } from './demo-definitions.ts'
import { type DemoContext, type DemoStep, operationInput, type TaskLoader } from './demo-step.ts'

const HOUR_MS = 3_600_000
/** What a person logs on one task in a day, at most. */
const MAX_HOURS_PER_DAY = 6
const LOGGING_HOUR = 16
/** Her hours are charged, those of the others are not. */
const FREELANCER: DemoPerson = 'elif'
/** Days of work end before today, so that no entry lies in the future. */
const LAST_DAY = -1

/** The time logged on a task: at the end of each day of work, and a timer that still runs. */
export function planTimeEntries(
  { calendar }: DemoContext,
  { assignees = [], days, spent = 0, notes = [], runningMinutes }: DemoTask,
  index: number,
  load: TaskLoader,
): DemoStep[] {
  const [createdOn, startedOn = createdOn, completedOn = LAST_DAY] = days
  const log = (at: number, number: number, time: object): DemoStep => {
    const by = assignees[number % assignees.length] ?? 'jonas'
    const body = { ...time, note: notes[number] ?? null, billable: by === FREELANCER }
    return {
      ...{ at, by },
      run: async (tx) => {
        const task = await load(tx)
        return createTimeEntry(tx, task, operationInput({ id: task.id }, body))
      },
    }
  }
  const workdays = listWorkdays(calendar, startedOn, completedOn)
  const steps = spreadHours(spent, workdays).map(({ on, hours }, number) => {
    const at = calendar.timeOn(on, variedTime(LOGGING_HOUR, index))
    const duration_seconds = Math.round((hours * HOUR_MS) / 1000)
    return log(at, number, { started_at: timestampOf(at - hours * HOUR_MS), duration_seconds })
  })
  if (runningMinutes === undefined) return steps
  const at = calendar.minutesAgo(runningMinutes)
  return [...steps, log(at, steps.length, { running: true, started_at: timestampOf(at) })]
}

/** One number for each day of a range on which people work. */
function listWorkdays({ dayOf }: DemoCalendar, from: number, to: number): number[] {
  const range = Array.from({ length: to - from + 1 }, (_, number) => from + number)
  return range.filter((on, number) => number === 0 || dayOf(on) !== dayOf(on - 1))
}

/** Spreads hours evenly over the last of some days, in quarters of an hour. */
function spreadHours(hours: number, days: readonly number[]): { on: number; hours: number }[] {
  const count = Math.min(Math.ceil(hours / MAX_HOURS_PER_DAY), days.length)
  let rest = hours
  return days.slice(days.length - count).map((on, number) => {
    const part = Math.round((rest / (count - number)) * 4) / 4
    rest -= part
    return { on, hours: part }
  })
}
