import type { Storage } from '#core/transaction.ts'
import { recountStoredBytes, workspacesToRecount } from '#db/workspaces/stored-bytes.ts'
import { timestampOf } from '#lib/clock.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { forEachWorkspace } from './scheduler.ts'

/** Workspaces that have used this part of their storage are counted each hour, for they cannot write events when full. */
const NEARLY_FULL = 0.9

/** Twice the interval of the job, because a round takes time. */
const RECENT_MS = 2 * HOUR_MS

/**
 * Counts what workspaces store by their rows (docs/spec/api.md#storage-of-a-workspace): those that have written
 * since the last round, and those that are nearly full.
 */
export const recountWorkspaces = (storage: Storage) =>
  forEachWorkspace(
    storage,
    async ({ workspace_id }) => {
      await recountStoredBytes(storage, workspace_id)
      return false
    },
    {
      async pendingIn(tx, range) {
        const since = timestampOf(storage.clock.now() - RECENT_MS)
        const full_bytes = Math.floor(tx.settings.workspaceBytes * NEARLY_FULL)
        const rows = await tx.all(workspacesToRecount, { ...range, since, full_bytes })
        return new Set(rows.map(({ id }) => id))
      },
    },
  )
