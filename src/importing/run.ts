import type { Actor } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import type { FoundImport } from '#resources/imports/load.ts'
import { end } from '#resources/imports/operations.ts'
import type { Row } from '#resources/imports/row.ts'
import * as store from '#resources/imports/store.ts'
import { seeingAmong } from '#resources/members/store.ts'
import { projectToUse } from '#resources/projects/store.ts'
import { tagOfName } from '#resources/tags/store.ts'
import { ancestors, tagsAmong, tasksAmong } from '#resources/tasks/related.ts'
import { type Going, goingOn } from './going.ts'
import { makeTask } from './make.ts'
import { projectFor, tagsFor } from './places.ts'
import { remembering } from './remembering.ts'
import { type Job, type Means, step } from './work.ts'

/** After so long a transaction takes no further task: whoever writes beside it waits for its end. */
const MOST_MS = 100
/** What no row of an import answers differently for the next. */
const ASKED_ONCE = [projectToUse, tagOfName, tagsAmong, seeingAmong, tasksAmong, ancestors]

const setProgress = store.setImport([
  ...(['done_count', 'made_count', 'failed_count', 'made', 'updated_at'] as const),
])
const setFailed = store.setImport(['status', 'error', 'updated_at'])

const NO_LONGER = 'Who started it is no owner or admin any more: somebody else may start it anew.'

/** Makes the tasks of the next rows. Tells whether there are more. */
export async function runImport(means: Means, job: Job, found: FoundImport): Promise<boolean> {
  const actor = await actorOf(means, job, found)
  if (!actor) {
    const error = NO_LONGER
    await step(means, job, 'running', (tx, now) =>
      tx.run(setFailed, { ...now, status: 'failed', error, updated_at: tx.now }),
    )
    return false
  }
  return step(means, job, 'running', (tx, now) => batch(tx, now, means.atOnce), actor)
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
async function batch(tx: WriteTx, found: FoundImport, limit: number): Promise<boolean> {
  const until = performance.now() + MOST_MS
  const import_id = found.id
  const next = (await tx.all(store.rowsAfter, { import_id, after: found.done_count, limit })).map(
    ({ number, place, row }) => ({ number, place, row: JSON.parse(row) as Row }),
  )
  const told = next.map(({ row }) => row)
  const going = await goingOn(remembering(tx, ASKED_ONCE), found, told)
  const rows: { number: number; task_id: string | null; fault: string | null }[] = []
  let { done_count } = found
  for (const { number, place, row } of next) {
    rows.push({ number, ...(await makeOne(going, row)) })
    done_count = place ?? done_count
    if (performance.now() > until) break
  }
  const failed = rows.filter(({ task_id }) => task_id === null).length
  const now = {
    ...{ ...found, done_count, made: JSON.stringify(going.made), updated_at: tx.now },
    made_count: found.made_count + rows.length - failed,
    failed_count: found.failed_count + failed,
  }
  await Promise.all([tx.run(store.settleRows, { import_id, rows }), tx.run(setProgress, now)])
  if (rows.length === limit || rows.length < next.length) return true
  await end(tx, now, 'done')
  return false
}

async function makeOne(going: Going, row: Row) {
  try {
    // What several rows share stays when this one is refused.
    const project_id = await projectFor(going, row)
    const tag_ids = await tagsFor(going, project_id, row)
    const places = { project_id, tag_ids }
    const task_id = await going.tx.operation(() => makeTask(going, row, places))
    if (row.key !== null) going.tasks.set(row.key, task_id)
    return { task_id, fault: null }
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return { task_id: null, fault: error.message }
  }
}
