import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO_TASKS, WORKSPACE_CREATED_ON } from './demo-data.ts'
import { createDemoCalendar, type DemoContext, planHistory, planTask } from './plan-history.ts'

const DAY_MS = 86_400_000
const TIMEZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Europe/Zurich']
/** The weeks of both clock changes of Zurich, at the beginning and at the end of a day in UTC. */
const FIRST_TIMES = ['2026-03-26T00:01:00.000Z', '2026-10-22T23:59:00.000Z']

const createContext = (timezone: string, now: number): DemoContext => {
  const project = { id: 'prj', tags: new Map<string, string>() }
  return {
    calendar: createDemoCalendar(timezone, now),
    people: { maya: 'maya', jonas: 'jonas', priya: 'priya', tom: 'tom', elif: 'elif' },
    projects: { website: project, portal: project },
    tasks: new Map(),
  }
}

const listTimes = () =>
  FIRST_TIMES.flatMap((first) =>
    Array.from({ length: 7 }, (_, day) => Date.parse(first) + day * DAY_MS),
  )

test('no step of the demo lies in the future, on any weekday and in any time zone', () => {
  for (const [index, now] of listTimes().entries()) {
    const timezone = TIMEZONES[index % TIMEZONES.length] ?? 'UTC'
    const context = createContext(timezone, now)
    const times = planHistory(context).map(({ at }) => at)
    const at = `${new Date(now).toISOString()} ${timezone}`
    assert.ok(Math.max(...times) < now, at)
    assert.ok(Math.min(...times) > context.calendar.timeOn(WORKSPACE_CREATED_ON, 9.5) + DAY_MS, at)
  }
})

test('a task of the demo is created after those that it refers to, on any weekday', () => {
  for (const now of listTimes()) {
    const context = createContext('Europe/Zurich', now)
    for (const project of ['website', 'portal'] as const) {
      const createdAt = new Map<string | undefined, number>()
      for (const [index, task] of DEMO_TASKS[project].entries()) {
        const [creation] = planTask(context, project, task, index)
        createdAt.set(task.key, creation?.at ?? 0)
      }
      for (const [index, task] of DEMO_TASKS[project].entries()) {
        const [creation] = planTask(context, project, task, index)
        for (const key of [task.parent ?? [], task.blockedBy ?? []].flat())
          assert.ok((createdAt.get(key) ?? Infinity) < (creation?.at ?? 0), `${task.title}: ${key}`)
      }
    }
  }
})
