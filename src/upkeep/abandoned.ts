import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import {
  AFTER_TASKS,
  abandonedWorkspaces,
  anyDoomedFile,
  BEFORE_TASKS,
  forgetAbandoned,
  peopleOf,
  purgeSome,
  removeIdleResets,
  removeMembershipOf,
  removeStranded,
  removeWorkspace,
  someTasks,
} from '#storage/abandoned.ts'
import { doomFile, forgetTransferFile, transferFiles } from '#storage/files.ts'
import { purge } from './trash.ts'

const ROWS_AT_ONCE = 200
const TASKS_AT_ONCE = 10
const SOME = { limit: ROWS_AT_ONCE }

/** Takes away all that is in workspaces that were given up, and then themselves. */
export const purgeAbandoned = (storage: Storage, files: Files) => async (): Promise<boolean> => {
  const [first] = await storage.read(NOBODY, (tx) => tx.all(abandonedWorkspaces, {}))
  return first !== undefined && purgeWorkspace(storage, files, first.id)
}

/** A step of it; tells whether it is worth going on at once. */
export async function purgeWorkspace(
  storage: Storage,
  files: Files,
  workspace_id: string,
): Promise<boolean> {
  const actor = { ...NOBODY, workspace_id }
  const emptied = async (tables: typeof BEFORE_TASKS | typeof AFTER_TASKS) => {
    for (const table of tables) {
      const gone = await storage.write(actor, (tx) => tx.run(purgeSome(table), SOME))
      if (gone >= ROWS_AT_ONCE) return false
    }
    return true
  }
  if (await doomTransfers(storage, workspace_id)) return true
  if (!(await emptied(BEFORE_TASKS))) return true
  const limit = TASKS_AT_ONCE
  const tasks = await storage.read(actor, (tx) => tx.all(someTasks, { limit }))
  for (const { id } of tasks) await storage.write(actor, (tx) => purge(tx, id))
  if (tasks.length > 0) return true
  if (!(await emptied(AFTER_TASKS))) return true
  // Another chore takes the files away, and needs the workspace for it.
  if (await storage.read(actor, (tx) => tx.one(anyDoomedFile, {}))) return false
  // What lies there still has no row, and gets none: without its workspace nobody would sweep it.
  await files.clear(workspace_id)
  return storage.write(actor, async (tx) => {
    const people = await tx.all(peopleOf, SOME)
    for (const { user_id } of people) {
      await tx.run(removeMembershipOf, { user_id })
      await tx.run(removeIdleResets, { id: user_id })
      await tx.run(removeStranded, { id: user_id })
    }
    if (people.length === ROWS_AT_ONCE) return true
    await tx.run(removeWorkspace, {})
    await tx.run(forgetAbandoned, { abandoned_id: workspace_id })
    return false
  })
}

/** Notes the files of imports and exports as ones to be taken away; tells whether there were any. */
function doomTransfers(storage: Storage, workspace_id: string): Promise<boolean> {
  return storage.write({ ...NOBODY, workspace_id }, async (tx) => {
    let found = false
    for (const table of ['imports', 'exports'] as const) {
      for (const { id, file_id } of await tx.all(transferFiles(table), SOME)) {
        if (file_id !== null) await tx.run(doomFile, { id: file_id, doomed_at: tx.now })
        await tx.run(forgetTransferFile(table), { id })
        found = true
      }
    }
    return found
  })
}
