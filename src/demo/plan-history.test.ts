import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemoContext, planHistory, planTask } from './create-demo-workspace.ts'
import { DEMO_TASKS } from './demo-data.ts'

const DAY_MS = 86_400_000
const TIMEZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Europe/Zurich']
/** The weeks of both clock changes of Zurich, at the beginning and at the end of a day in UTC. */
const FIRST_TIMES = ['2026-03-26T00:01:00.000Z', '2026-10-22T23:59:00.000Z']

const listTimes = () =>
  FIRST_TIMES.flatMap((first) =>
    Array.from({ length: 7 }, (_, day) => Date.parse(first) + day * DAY_MS),
  )

test('the steps of the demo lie within the last two weeks and never in the future, in any time zone', () => {
  for (const [index, now] of listTimes().entries()) {
    const timezone = TIMEZONES[index % TIMEZONES.length] ?? 'UTC'
    const times = planHistory(createDemoContext(timezone, now)).map(({ at }) => at)
    const at = `${new Date(now).toISOString()} ${timezone}`
    assert.ok(Math.max(...times) < now, at)
    assert.ok(Math.min(...times) > now - 17 * DAY_MS, at)
  }
})

test('a task of the demo is created after those that it refers to', () => {
  for (const now of listTimes()) {
    const context = createDemoContext('Europe/Zurich', now)
    const createdAt = new Map<string, number>()
    const timeOf = (key: string) => createdAt.get(key) ?? Infinity
    for (const [index, task] of DEMO_TASKS.entries())
      createdAt.set(task.key ?? task.title, planTask(context, task, index)[0]?.at ?? 0)
    for (const { title, key = title, parent, blockedBy = [] } of DEMO_TASKS)
      for (const other of [parent ?? [], blockedBy].flat())
        assert.ok(timeOf(other) < timeOf(key), `${title}: ${other}`)
  }
})
