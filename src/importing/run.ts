import type { Actor } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import type { FoundImport } from '#resources/imports/load.ts'
import { end } from '#resources/imports/operations.ts'
import { madeOf, planOf } from '#resources/imports/plan.ts'
import type { Row } from '#resources/imports/row.ts'
import * as store from '#resources/imports/store.ts'
import { makeTask } from './make.ts'
import { type Going, projectFor, tagsFor } from './places.ts'
import { type Job, type Means, step } from './work.ts'

/** Tasks in one transaction: few enough that nobody waits long behind them. */
const AT_ONCE = 25

const setProgress = store.setImport([
  ...(['done_count', 'made_count', 'failed_count', 'made', 'updated_at'] as const),
])
const setFailed = store.setImport(['status', 'error', 'updated_at'])

const NO_LONGER = 'Who started it is no owner or admin any more: somebody else may start it anew.'

/** Makes the tasks of the next rows. Tells whether there are more. */
export async function runImport(means: Means, job: Job): Promise<boolean> {
  const found = await step(means, job, 'running', async (_, now) => now)
  const actor = await actorOf(means, job, found)
  if (!actor) {
    const error = NO_LONGER
    await step(means, job, 'running', (tx, now) =>
      tx.run(setFailed, { ...now, status: 'failed', error, updated_at: tx.now }),
    )
    return false
  }
  return step(means, job, 'running', batch, actor)
}

/** The person who started it, with the role of now; undefined: one who may not bring anything in. */
export async function actorOf(
  { storage }: Means,
  { workspace_id }: Job,
  { created_by_id: user_id }: FoundImport,
): Promise<Actor | undefined> {
  const actor: Actor = {
    ...{ type: 'user', workspace_id, user_id, name: '', role: 'guest', source: 'import' },
    ...{ credential_id: null, credential_name: null, expires_at: null, scopes: new Set() },
    ...{ plan: 'free', timezone: 'UTC', workspace_timezone: 'UTC' },
  }
  const person = await storage.read(actor, (tx) => tx.one(store.importer, { user_id }))
  if (person?.role !== 'owner' && person?.role !== 'admin') return undefined
  return { ...actor, ...person }
}

/** The rows whose turn it is, each as an operation of its own: one that is refused undoes itself alone. */
async function batch(tx: WriteTx, found: FoundImport): Promise<boolean> {
  const import_id = found.id
  const rows = await tx.all(store.rowsAfter, { import_id, after: found.done_count, limit: AT_ONCE })
  const made = madeOf(found)
  const going: Going = { found, plan: planOf(found), made }
  let { made_count, failed_count, done_count } = found
  for (const { number, place, row } of rows) {
    const { task_id, fault } = await makeOne(tx, going, JSON.parse(row) as Row)
    await tx.run(store.settleRow, { import_id, number, task_id, fault })
    if (task_id === null) failed_count += 1
    else made_count += 1
    done_count = place ?? done_count
  }
  const progress = { done_count, made_count, failed_count, made: JSON.stringify(made) }
  const now = { ...found, ...progress, updated_at: tx.now }
  await tx.run(setProgress, now)
  if (rows.length === AT_ONCE) return true
  await end(tx, now, 'done')
  return false
}

async function makeOne(tx: WriteTx, going: Going, row: Row) {
  try {
    // What several rows share stays when this one is refused.
    const project_id = await projectFor(tx, going, row)
    const tag_ids = await tagsFor(tx, going, project_id, row)
    const places = { project_id, tag_ids }
    const task_id = await tx.operation(() => makeTask(tx, going, row, places))
    return { task_id, fault: null }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return { task_id: null, fault: error.message }
  }
}
