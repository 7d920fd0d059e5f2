import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { oldestEvents, trimEventLog } from '#db/events/event-retention.ts'
import { deleteTombstones, expireTombstones, oldestTombstones } from '#db/retention/tombstones.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { forEachWorkspace } from './for-each-workspace.ts'

const MAX_EVENTS = 500

/**
 * Purges events from the log after its retention (docs/spec/api.md#extensions). The rest stays without a gap: the
 * first event within the retention keeps all events after it.
 */
export const purgeOldEvents = (storage: Storage, retentionDays: number) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const before = timestampOf(storage.clock.now() - retentionDays * DAY_MS)
    const oldest = await storage.read(actor, (tx) => tx.all(oldestEvents, { limit: MAX_EVENTS }))
    const firstKept = oldest.findIndex(({ created_at }) => created_at >= before)
    const due = firstKept === -1 ? oldest : oldest.slice(0, firstKept)
    const old = takeSized(due, MAX_STEP_BYTES)
    const [first, last] = [old[0], old.at(-1)]
    if (!first || !last) return false
    const range = { first: first.sequence, last: last.sequence }
    const isPurged = await storage.write(actor, (tx) => trimEventLog(tx, range))
    return isPurged && (due.length === MAX_EVENTS || old.length < due.length)
  })

const MAX_TOMBSTONES = 500

/** Purges tombstones of the feed of changes after the retention of events (docs/spec/api.md#changes). */
export const purgeOldTombstones = (storage: Storage, retentionDays: number) =>
  forEachWorkspace(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const before = timestampOf(storage.clock.now() - retentionDays * DAY_MS)
    const limit = { limit: MAX_TOMBSTONES }
    const oldest = await storage.read(actor, (tx) => tx.all(oldestTombstones, limit))
    const firstKept = oldest.findIndex(({ created_at }) => created_at >= before)
    const until = oldest.at(firstKept === -1 ? -1 : firstKept - 1)?.change_number
    if (until === undefined || firstKept === 0) return false
    await storage.write(actor, async (tx) => {
      await tx.run(expireTombstones, { until })
      await tx.run(deleteTombstones, { until })
    })
    return firstKept === -1 && oldest.length === MAX_TOMBSTONES
  })
