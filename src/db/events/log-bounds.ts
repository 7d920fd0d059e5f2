import type { ReadTx } from '#core/transaction.ts'
import { query, type Scoped } from '../core/statement.ts'

/** Where the event log of a workspace begins and ends. */
export interface EventLogBounds {
  /** The `sequence` of the oldest event; null if the log has none. */
  oldest: number | null
  /** The `sequence` of the newest event that ever was; 0 before the first. */
  newest: number
  /** The `sequence` of the oldest event, or of the next one if the log has none. */
  start: number
}

export async function readEventLogBounds(tx: ReadTx): Promise<EventLogBounds> {
  const { start = 1, newest = 0 } = (await tx.one(logColumns, {})) ?? {}
  return { oldest: start > newest ? null : start, newest, start }
}

const logColumns = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['log_from_sequence as start', 'last_sequence as newest'])
    .where('id', '=', $.workspace_id),
)
