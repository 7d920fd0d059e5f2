import { openPage } from '#core/page.ts'
import type { WriteTx } from '#core/tx.ts'
import { addDays } from '#lib/days.ts'
import { create as createComment } from '#resources/comments/operations.ts'
import { loadTask, loadTaskToWrite } from '#resources/tasks/load.ts'
import { completeOne } from '#resources/tasks/operations/complete.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { create as createTimeEntry } from '#resources/time-entries/operations.ts'
import type { Label, Said, Scene, Spent, Who } from './cast.ts'

/** Where a scene plays: the project with its people and tags, and the day from which it counts. */
export interface Stage {
  project_id: string
  people: Record<Who, string>
  tags: Record<Label, string>
  today: string
  /** Does something as one of the people. */
  as<T>(who: Who, work: (tx: WriteTx) => Promise<T>): Promise<T>
}

type Wish = Parameters<typeof createIn>[1]

const SECONDS_OF_HOUR = 3_600
const DAY_MS = 24 * 60 * 60 * 1000

/** Plays a scene: the task is created, talked about, worked on, and completed if it was. */
export async function play(stage: Stage, tasks: Map<string, string>, scene: Scene): Promise<void> {
  const { key, by = 'jonas', done, who = [], said = [], spent = [] } = scene
  const wish = wishOf(stage, tasks, scene)
  const { id } = await stage.as(by, (tx) => createIn(tx, wish))
  if (key) tasks.set(key, id)
  for (const one of said) await say(stage, id, one)
  for (const one of spent) await spend(stage, id, one)
  if (!done) return
  await stage.as(who[0] ?? by, async (tx) => completeOne(tx, await loadTaskToWrite(tx, id)))
}

function wishOf(stage: Stage, tasks: Map<string, string>, scene: Scene): Wish {
  const { project_id, people, tags, today } = stage
  const { title, description = null, status, priority = 'none', hours, parent, rrule } = scene
  const idOf = (key: string) => {
    const id = tasks.get(key)
    if (id === undefined) throw new Error(`The demo names "${key}" before it is there`)
    return id
  }
  const day = (days: number | undefined) => (days === undefined ? null : addDays(today, days))
  return {
    project_id,
    title,
    description,
    ...(status && { status }),
    priority,
    assignee_ids: (scene.who ?? []).map((who) => people[who]).toSorted(),
    tag_ids: (scene.labels ?? []).map((label) => tags[label]).toSorted(),
    start_date: day(scene.start),
    due_date: day(scene.due),
    estimate_seconds: hours === undefined ? null : hours * SECONDS_OF_HOUR,
    parent_id: parent === undefined ? null : idOf(parent),
    blocked_by_ids: (scene.after ?? []).map(idOf),
    recurrence: rrule === undefined ? null : { rrule, basis: 'due_date' },
  }
}

async function say(stage: Stage, task_id: string, said: Said, parent_id: string | null = null) {
  const body = said.text.replace(/\{(\w+)\}/g, (_, who: Who) => `<@${stage.people[who]}>`)
  const { id } = await stage.as(said.by, async (tx) =>
    found(
      await createComment(tx, await loadTask(tx, task_id), asking(task_id, { body, parent_id })),
    ),
  )
  for (const reply of said.replies ?? []) await say(stage, task_id, reply, id)
}

function spend(stage: Stage, task_id: string, spent: Spent) {
  return stage.as(spent.by, async (tx) => {
    const ago = (ms: number) => new Date(tx.instant - ms).toISOString()
    const { note = null } = spent
    const task = await loadTask(tx, task_id)
    if ('runningMinutes' in spent) {
      const body = { running: true, started_at: ago(spent.runningMinutes * 60_000), note }
      return createTimeEntry(tx, task, asking(task_id, body))
    }
    const { hours, daysAgo, billable = false } = spent
    const started_at = ago(daysAgo * DAY_MS + hours * SECONDS_OF_HOUR * 1000)
    const body = { started_at, duration_seconds: hours * SECONDS_OF_HOUR, note, billable }
    return createTimeEntry(tx, task, asking(task_id, body))
  })
}

/** What an operation is handed, without a request. */
export const asking = <B>(id: string, body: B) => ({
  params: { id },
  query: undefined,
  body,
  page: NO_PAGE,
})
const NO_PAGE = openPage('', '', {}, '')

/** The record that an operation gives, of which its id is wanted. */
export function found(result: object | string | undefined): { id: string } {
  if (typeof result === 'object' && 'id' in result && typeof result.id === 'string') {
    return { id: result.id }
  }
  throw new Error('An operation of the demo gave no record')
}
