import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import { abandonedWorkspaces, abandonWorkspace } from '#storage/abandoned.ts'
import { endImport, endSilentImport, silentImports } from '#storage/imports.ts'
import { purgeWorkspace } from './abandoned.ts'
import { removeDoomed } from './files.ts'

/** Gives up the imports that were killed: nobody has ever seen what they made. */
export const endSilentImports = (storage: Storage) => async (): Promise<boolean> => {
  const silent = await storage.read(NOBODY, (tx) => tx.all(silentImports, { now: tx.now }))
  for (const { id } of silent) {
    await storage.write({ ...NOBODY, workspace_id: id }, async (tx) => {
      // Looked at again under the lock: it may have been heard of since.
      if ((await tx.run(endSilentImport, { now: tx.now })) > 0) await abandonWorkspace(tx, id)
    })
  }
  return false
}

/** Gives up an import that has failed. It was never seen, so no process remembers anything of it. */
export async function giveUpImport(tx: WriteTx): Promise<void> {
  if ((await tx.run(endImport, {})) > 0) await abandonWorkspace(tx, tx.actor.workspace_id)
}

/**
 * Takes away at once what is left of a workspace that was given up. Tells whether all of it is gone:
 * a backup may need its files a little longer.
 */
export async function clearAbandoned(
  storage: Storage,
  files: Files,
  workspace_id: string,
): Promise<boolean> {
  const isLeft = async () => {
    const left = await storage.read(NOBODY, (tx) => tx.all(abandonedWorkspaces, {}))
    return left.some(({ id }) => id === workspace_id)
  }
  if (!(await isLeft())) return true
  while (await purgeWorkspace(storage, files, workspace_id));
  while (await removeDoomed(storage, files)());
  while (await purgeWorkspace(storage, files, workspace_id));
  return !(await isLeft())
}
