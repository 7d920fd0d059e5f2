import { openPage } from '#core/page.ts'
import { Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { fromJson } from '#lib/json.ts'
import type { FoundImport } from '#resources/imports/load.ts'
import { type Made, madeOf } from '#resources/imports/plan.ts'
import * as store from '#resources/imports/store.ts'
import { changeProject } from '#resources/projects/change.ts'
import { showProject } from '#resources/projects/load.ts'
import { loadTag } from '#resources/tags/load.ts'
import { remove as removeTag } from '#resources/tags/operations.ts'
import { loadTaskToDelete } from '#resources/tasks/load.ts'
import { removeOne } from '#resources/tasks/operations/remove.ts'
import { actorOf } from './run.ts'
import { type Job, type Means, step } from './work.ts'

/** Tasks in one transaction. */
const AT_ONCE = 25
const NO_PAGE = openPage('', '', {}, '')

const setUndone = store.setImport(['done_count', 'made_count', 'updated_at'])
const setEnded = store.setImport(['status', 'error', 'updated_at'])
const STAYING = 'Some tasks could not be deleted: their project is archived.'

/**
 * Takes back what an import has made, the last first: tasks go to the trash, then tags that nothing
 * bears, and new projects without tasks are archived. Tells whether there is more to do.
 */
export async function undoImport(means: Means, job: Job): Promise<boolean> {
  const found = await step(means, job, 'undoing', async (_, now) => now)
  const actor = await actorOf(means, job, found)
  return step(means, job, 'undoing', batch, actor)
}

async function batch(tx: WriteTx, found: FoundImport): Promise<boolean> {
  const import_id = found.id
  const before = found.done_count + 1
  const rows = await tx.all(store.madeBefore, { import_id, before, limit: AT_ONCE })
  const gone: { number: number; task_id: null; fault: null }[] = []
  let { done_count } = found
  for (const { number, place, task_id } of rows) {
    done_count = (place ?? 1) - 1
    if (!(await isGone(tx, task_id ?? ''))) continue
    gone.push({ number, task_id: null, fault: null })
  }
  await tx.run(store.settleRows, { import_id, rows: gone })
  const made_count = found.made_count - gone.length
  const now = { ...found, done_count, made_count, updated_at: tx.now }
  await tx.run(setUndone, now)
  if (rows.length === AT_ONCE) return true
  await tidy(tx, madeOf(found))
  const error = made_count > 0 ? STAYING : null
  await tx.run(setEnded, { ...now, status: 'undone', error })
  return false
}

/** Deletes a task; one that somebody has deleted before is gone, too. */
async function isGone(tx: WriteTx, id: string): Promise<boolean> {
  return refused(tx, async () => removeOne(tx, await loadTaskToDelete(tx, id)), 404)
}

/** Does something as an operation of its own. False where it is refused, but for what is gone anyway. */
async function refused(tx: WriteTx, work: () => Promise<unknown>, fine: number): Promise<boolean> {
  try {
    await tx.operation(work)
    return true
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    return error.status === fine
  }
}

async function tidy(tx: WriteTx, { tags, projects }: Made): Promise<void> {
  for (const id of tags) {
    await refused(
      tx,
      async () => {
        const tag = await loadTag(tx, id)
        const asked = { params: { id }, query: undefined, body: undefined, page: NO_PAGE }
        if (fromJson(tag.json).task_count === 0) await removeTag(tx, tag, asked)
      },
      404,
    )
  }
  for (const id of Object.values(projects)) {
    await refused(
      tx,
      async () => {
        const { task_counts } = fromJson((await showProject(tx, id)).json)
        if (task_counts.total === 0) await changeProject(tx, id, { archived: true })
      },
      404,
    )
  }
}
