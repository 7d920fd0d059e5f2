import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { insertTimeEntry } from '#resources/time-entries/store.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import { live } from '#test/support/past.ts'
import { type Seeded, seed } from './seed.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The tasks are of this many days up to the present. */
export const SPREAD_DAYS = 400
const AT_ONCE = 500

/** A project full of tasks with their history over a year, and two time entries for each, and an estimate. */
export async function seedReports(storage: Storage, size: number): Promise<Seeded> {
  const seeded = await seed(storage, size)
  const owner: Actor = {
    ...{ ...NOBODY, role: 'owner', workspace_id: seeded.workspace },
    user_id: seeded.people[0] ?? '',
  }
  const beginning = Date.now() - SPREAD_DAYS * DAY_MS
  const { ids } = await storage.read(owner, async (tx) => ({ ids: await tx.all(everyTask, {}) }))
  const every = (SPREAD_DAYS * DAY_MS) / ids.length
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE).map((task, at) => {
      const created = Math.floor(beginning + (from + at) * every)
      return storage.write(owner, (tx) => work(tx, { ...task, created }, seeded, from + at))
    })
    await Promise.all(some)
  }
  return seeded
}

interface Lived {
  id: string
  status_category: string
  created: number
}

/** A task is worked on for some days, and time is spent on it twice. */
async function work(tx: WriteTx, task: Lived, { people }: Seeded, n: number): Promise<void> {
  const now = Date.now()
  const started = Math.min(task.created + (n % 50) * HOUR_MS, now)
  const at = (ms: number) => new Date(ms).toISOString()
  const isDone = task.status_category === 'completed'
  await live(tx, {
    ...{ id: task.id, created: task.created },
    ...((isDone || task.status_category === 'started') && { started }),
    ...(isDone && { completed: Math.min(started + (1 + (n % 200)) * HOUR_MS, now) }),
  })
  const seconds = 600 + (n % 100) * 60
  await tx.run(estimated, {
    ...{ id: task.id, estimate_seconds: 3_600 * (1 + (n % 3)), time_spent_seconds: 2 * seconds },
  })
  for (const k of [0, 1]) {
    const spent = at(started + k * HOUR_MS)
    await tx.run(insertTimeEntry, {
      ...{ id: newId('tme', started), task_id: task.id, started_at: spent, ended_at: null },
      ...{ user_id: people[(n + k) % people.length] ?? '', duration_seconds: seconds },
      ...{ spent_on: spent.slice(0, 10), note: null, billable: n % 2, source: 'api_key' },
      ...{ created_by_id: people[0] ?? '', created_at: spent, updated_at: spent },
    })
  }
}

const estimated = command(
  (db, $: Scoped<Record<'estimate_seconds' | 'time_spent_seconds', number> & { id: string }>) =>
    db
      .updateTable('tasks')
      .set(row($, 'estimate_seconds', 'time_spent_seconds'))
      .where('workspace_id', '=', $.workspace_id)
      .where('id', '=', $.id),
)

const everyTask = query((db, $: Scoped) =>
  db
    .selectFrom('tasks')
    .select(['id', 'status_category'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id'),
)
