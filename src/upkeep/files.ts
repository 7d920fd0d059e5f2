import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { type Files, KEY, keyOf } from '#files/files.ts'
import {
  doomedFiles,
  filesAreHeld,
  filesWithRow,
  forgetDoomed,
  isOurs,
  putOffDoomed,
} from '#storage/files.ts'

/** No upload takes so long: what is older and has no row gets none any more. */
const ORPHANED_MS = 3 * 60 * 60 * 1000
const AT_ONCE = 100

/**
 * Takes away the files whose rows are gone, and then the notes of them. One that cannot be taken away
 * is the last to be tried again: it holds up no other.
 */
export const removeDoomed = (storage: Storage, files: Files) => async (): Promise<boolean> => {
  const doomed = await storage.read(NOBODY, async (tx) => {
    const found = await tx.all(doomedFiles, { limit: AT_ONCE })
    // Asked afterwards: whoever holds the files from now on finds the rows of these gone already.
    return (await tx.one(filesAreHeld, { now: tx.now })) ? [] : found
  })
  for (const { workspace_id, id } of doomed) {
    const actor = { ...NOBODY, workspace_id }
    await files.remove(keyOf(workspace_id, id)).catch(async (error: unknown) => {
      await storage.write(actor, (tx) => tx.run(putOffDoomed, { id, doomed_at: tx.now }))
      throw error
    })
    await storage.write(actor, (tx) => tx.run(forgetDoomed, { id }))
  }
  return doomed.length === AT_ONCE
}

/**
 * Takes away what uploads have left that came to no end: drafts, and files that got no row. Files of
 * workspaces that are not ours are left alone: a bucket may serve two installations.
 */
export function sweepOrphans(storage: Storage, files: Files): () => Promise<boolean> {
  let round: AsyncIterator<{ key: string; at: number }> | undefined
  return async () => {
    const before = storage.clock.now() - ORPHANED_MS
    round ??= begin(before)
    const looking = round
    // A round that fails is not gone on with.
    round = undefined
    const old = new Map<string, string[]>()
    for (let found = 0; found < AT_ONCE; found += 1) {
      const { done, value } = await looking.next()
      if (done) {
        await removeOrphans(old)
        return false
      }
      const [, workspace_id = '', id = ''] = KEY.exec(value.key) ?? []
      if (value.at < before) old.set(workspace_id, [...(old.get(workspace_id) ?? []), id])
    }
    await removeOrphans(old)
    round = looking
    return true
  }

  async function* begin(before: number) {
    await files.sweepDrafts(before)
    yield* files.list()
  }

  async function removeOrphans(old: ReadonlyMap<string, string[]>): Promise<void> {
    for (const [workspace_id, ids] of old) {
      const kept = await storage.read({ ...NOBODY, workspace_id }, async (tx) => {
        if (!(await tx.one(isOurs, {}))) return ids
        const found = await tx.all(filesWithRow, { ids })
        return (await tx.one(filesAreHeld, { now: tx.now })) ? ids : found.map(({ id }) => id)
      })
      const orphans = new Set(ids).difference(new Set(kept))
      for (const id of orphans) await files.remove(keyOf(workspace_id, id))
    }
  }
}
