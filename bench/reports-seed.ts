import { type Actor, NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { insertTimeEntry } from '#resources/time-entries/store.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import { type Seeded, seed } from './seed.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The tasks are of this many days up to the present. */
export const SPREAD_DAYS = 400
const AT_ONCE = 500

/** A project full of tasks with their history over a year, and two time entries for each. */
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
      return storage.write(owner, (tx) => live(tx, { ...task, created }, seeded, from + at))
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

/** A task is worked on for some days, and the longer the later it is told. */
async function live(tx: WriteTx, task: Lived, { people }: Seeded, n: number): Promise<void> {
  const started = Math.min(task.created + (n % 50) * HOUR_MS, Date.now())
  const ended = Math.min(started + (1 + (n % 200)) * HOUR_MS, Date.now())
  const at = (ms: number) => new Date(ms).toISOString()
  const isDone = task.status_category === 'completed'
  await tx.run(date, {
    ...{ id: task.id, created_at: at(task.created), completed_at: isDone ? at(ended) : null },
    estimate_seconds: n % 3 === 0 ? 3_600 * (1 + (n % 9)) : null,
  })
  const change = async (ms: number, from: string, to: string) => {
    await tx.run(recordAt, {
      task_id: task.id,
      id: newId('act', ms),
      created_at: at(ms),
      changes: JSON.stringify({ status: { from, to }, status_category: { from, to } }),
    })
  }
  if (isDone || task.status_category === 'started') await change(started, 'unstarted', 'started')
  if (isDone) await change(ended, 'started', 'completed')
  for (const k of [0, 1]) {
    const spent = at(started + k * HOUR_MS)
    await tx.run(insertTimeEntry, {
      ...{ id: newId('tme', started), task_id: task.id, started_at: spent, ended_at: null },
      ...{ user_id: people[(n + k) % people.length] ?? '', duration_seconds: 600 + (n % 100) * 60 },
      ...{ spent_on: spent.slice(0, 10), note: null, billable: n % 2, source: 'api_key' },
      ...{ created_by_id: people[0] ?? '', created_at: spent, updated_at: spent },
    })
  }
}

const everyTask = query((db, $: Scoped) =>
  db
    .selectFrom('tasks')
    .select(['id', 'status_category'])
    .where('workspace_id', '=', $.workspace_id)
    .orderBy('id'),
)

interface Dated {
  id: string
  created_at: string
  completed_at: string | null
  estimate_seconds: number | null
}
const date = command((db, $: Scoped<Dated>) =>
  db
    .updateTable('tasks')
    .set(row($, 'created_at', 'completed_at', 'estimate_seconds'))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** As recordActivity does, at another time than the transaction's. */
const recordAt = command(
  (db, $: Scoped<{ id: string; task_id: string; changes: string; created_at: string }>) =>
    db.insertInto('activity').values({
      ...row($, 'workspace_id', 'id', 'task_id', 'changes', 'created_at'),
      ...{ kind: 'updated', actor_type: 'user', actor_id: null, credential_name: null },
    }),
)
