import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { recountStoredBytes, storedBytes } from '#db/workspaces/stored-bytes.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { forEachWorkspace } from './for-each-workspace.ts'

const INTERVAL_MS = 7 * DAY_MS

/**
 * Counts what each workspace stores: once after an upgrade from a release that did not count, and
 * weekly, because processes of such a release may still have written afterwards.
 */
export const recountWorkspaces = (storage: Storage) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const counted = await storage.read(actor, (tx) => tx.one(storedBytes, {}))
    const before = timestampOf(storage.clock.now() - INTERVAL_MS)
    if (!counted || (counted.bytes_counted_at ?? '') >= before) return false
    await recountStoredBytes(storage, workspace_id)
    return false
  })
