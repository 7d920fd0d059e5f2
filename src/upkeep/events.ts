import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { leaveLog, oldestEvents } from '#storage/old-events.ts'
import { roundOfWorkspaces } from './workspaces.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const AT_ONCE = 500

/**
 * Lets events leave the log when they are older than it keeps them (contract 7.3). What is kept stays
 * without a gap: the first event that is young enough keeps all after it.
 */
export const forgetEvents = (storage: Storage, retentionDays: number) =>
  roundOfWorkspaces(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const before = timestampOf(storage.clock.now() - retentionDays * DAY_MS)
    const oldest = await storage.read(actor, (tx) => tx.all(oldestEvents, { limit: AT_ONCE }))
    const kept = oldest.findIndex(({ created_at }) => created_at >= before)
    const old = kept === -1 ? oldest : oldest.slice(0, kept)
    const [first, last] = [old[0], old.at(-1)]
    if (!first || !last) return false
    const range = { first: first.sequence, last: last.sequence }
    const left = await storage.write(actor, (tx) => leaveLog(tx, range))
    return left && old.length === AT_ONCE
  })
