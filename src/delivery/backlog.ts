import { sql } from 'kysely'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { isDeletedWorkspace } from '#storage/deleted-workspaces.ts'
import { queryOfAll } from '#storage/statement.ts'

/** What waits to be sent, in all workspaces. */
export interface Backlog {
  /** Deliveries that wait for an attempt, the first or a further one. */
  deliveries: number
  /** Events committed for active webhooks that are not among the deliveries yet. */
  events: number
  /** For how long the most overdue delivery could have been attempted. */
  overdueSeconds: number
}

/** By counts that are kept, for there may be millions. */
export async function backlogOf(storage: Storage): Promise<Backlog> {
  const now = storage.clock.now()
  const found = await storage.read(NOBODY, (tx) => tx.one(waitingNow, { now: timestampOf(now) }))
  return {
    deliveries: Number(found?.deliveries ?? 0),
    events: Number(found?.events ?? 0),
    overdueSeconds: found?.due_at ? Math.max(0, now - Date.parse(found.due_at)) / 1000 : 0,
  }
}

/** What a deleted workspace would send does not wait: it is not to be sent. */
const isLiving = sql<boolean>`not ${isDeletedWorkspace('webhooks.workspace_id')}`

const waitingNow = queryOfAll((db, $: { now: string }) =>
  db.selectNoFrom((is) => [
    is
      .selectFrom('webhooks')
      .select(sql<number>`coalesce(sum(pending_count), 0)`.as('n'))
      .where('next_due_at', 'is not', null)
      .where(isLiving)
      .as('deliveries'),
    is
      .selectFrom('webhooks')
      .select((webhook) => webhook.fn.min('next_due_at').as('due_at'))
      .where('next_due_at', '<=', $.now)
      .where(isLiving)
      .as('due_at'),
    is
      .selectFrom('workspaces')
      .select(sql<number>`coalesce(sum(last_sequence - fanned_out_sequence), 0)`.as('n'))
      .where('has_unsent_events', '=', sql.lit(1))
      .where('deleted_at', 'is', null)
      .as('events'),
  ]),
)
