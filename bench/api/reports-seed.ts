import { type Actor, createUserActor } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped } from '#db/core/statement.ts'
import { newId } from '#lib/id.ts'
import { insertTimeEntry } from '#resources/time-entries/store.ts'
import { backdateTask } from '#test/support/world/task-history.ts'
import { type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The tasks were created over this many days up to now. */
export const HISTORY_DAYS = 400
const BATCH_SIZE = 500

/** Fills a project with tasks over more than a year, each with two time entries and an estimate. */
export async function seedReportHistory(storage: Storage, size: number): Promise<SeededWorkspace> {
  const seeded = await seedWorkspace(storage, size)
  const owner: Actor = {
    ...createUserActor(seeded.people[0] ?? '', seeded.workspace),
    role: 'owner',
  }
  const beginning = Date.now() - HISTORY_DAYS * DAY_MS
  const { ids } = await storage.read(owner, async (tx) => ({ ids: await tx.all(everyTask, {}) }))
  const every = (HISTORY_DAYS * DAY_MS) / ids.length
  for (let from = 0; from < ids.length; from += BATCH_SIZE) {
    const some = ids.slice(from, from + BATCH_SIZE).map((task, at) => {
      const created = Math.floor(beginning + (from + at) * every)
      return storage.write(owner, (tx) => addHistory(tx, { ...task, created }, seeded, from + at))
    })
    await Promise.all(some)
  }
  return seeded
}

interface SeededTask {
  id: string
  status_category: string
  created: number
}

/** Adds the history of a task: its status changes, an estimate and two time entries. */
async function addHistory(
  tx: WriteTx,
  task: SeededTask,
  { people }: SeededWorkspace,
  n: number,
): Promise<void> {
  const now = Date.now()
  const started = Math.min(task.created + (n % 50) * HOUR_MS, now)
  const at = (ms: number) => new Date(ms).toISOString()
  const isDone = task.status_category === 'completed'
  await backdateTask(tx, {
    id: task.id,
    created: task.created,
    ...((isDone || task.status_category === 'started') && { started }),
    ...(isDone && { completed: Math.min(started + (1 + (n % 200)) * HOUR_MS, now) }),
  })
  const seconds = 600 + (n % 100) * 60
  await tx.run(setEstimate, {
    id: task.id,
    estimate_seconds: 3_600 * (1 + (n % 3)),
    time_spent_seconds: 2 * seconds,
  })
  for (const k of [0, 1]) {
    const spent = at(started + k * HOUR_MS)
    await tx.run(insertTimeEntry, {
      id: newId('tme', started),
      task_id: task.id,
      started_at: spent,
      ended_at: null,
      user_id: people[(n + k) % people.length] ?? '',
      duration_seconds: seconds,
      spent_on: spent.slice(0, 10),
      note: null,
      billable: n % 2,
      source: 'api_key',
      created_by_id: people[0] ?? '',
      created_at: spent,
      updated_at: spent,
    })
  }
}

const setEstimate = command(
  (db, $: Scoped<Record<'estimate_seconds' | 'time_spent_seconds', number> & { id: string }>) =>
    db
      .updateTable('tasks')
      .set(pickSlots($, 'estimate_seconds', 'time_spent_seconds'))
      .where('id', '=', $.id),
)

const everyTask = query((db) =>
  db.selectFrom('tasks').select(['id', 'status_category']).orderBy('id'),
)
