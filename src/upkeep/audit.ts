import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { entriesAfter, headsSince, purgeEntries } from '#storage/audit-log.ts'
import { roundOfChains } from './workspaces.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const AT_ONCE = 500
/** Several processes have several clocks: so much of the time before is looked at again. */
const OVERLAP_MS = 60_000

/**
 * Takes away the entries of the audit log that are older than it is kept. Each time adds an entry, so
 * that a chain waits until there is a day of them.
 */
export const forgetAudit = (storage: Storage, retentionDays: number) =>
  roundOfChains(storage, async (workspace_id) => {
    const actor = { ...NOBODY, workspace_id }
    const ago = (days: number) => timestampOf(storage.clock.now() - days * DAY_MS)
    const which = { after: 0, limit: AT_ONCE }
    const oldest = await storage.read(actor, (tx) => tx.all(entriesAfter, which))
    if ((oldest[0]?.at ?? ago(0)) >= ago(retentionDays + 1)) return false
    const before = ago(retentionDays)
    const kept = oldest.findIndex(({ at }) => at >= before)
    const last = kept === -1 ? oldest.at(-1) : oldest[kept - 1]
    if (!last) return false
    await storage.write(actor, (tx) => purgeEntries(tx, last))
    return kept === -1 && oldest.length === AT_ONCE
  })

/**
 * Writes to the log where the chains end that have grown since the round before. The log leaves the
 * machine, and whoever shortens a chain or writes it anew there cannot change what it said.
 */
export function tellHeads(
  storage: Storage,
  log: { info(about: object, message: string): void },
): () => Promise<boolean> {
  let began = ''
  let place = { since: timestampOf(storage.clock.now() - HOUR_MS), after: '' }
  return async () => {
    if (began === '') began = timestampOf(storage.clock.now() - OVERLAP_MS)
    const heads = await storage.read(NOBODY, (tx) =>
      tx.all(headsSince, { ...place, limit: AT_ONCE }),
    )
    for (const { chain, sequence, hash } of heads) {
      log.info({ head: `${chain}:${sequence}:${hash}` }, 'Audit log')
    }
    const last = heads.at(-1)
    if (last && heads.length === AT_ONCE) {
      place = { since: last.updated_at, after: last.chain }
      return true
    }
    place = { since: began, after: '' }
    began = ''
    return false
  }
}
