import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { timestampOf } from '#lib/clock.ts'

/** The deliveries and events of all workspaces that wait to be sent. */
export interface DeliveryBacklog {
  /** Deliveries that wait for an attempt, the first or a further one. */
  deliveries: number
  /** Events committed for active webhooks that are not among the deliveries yet. */
  events: number
  /** Seconds since the most overdue delivery became due. */
  overdueSeconds: number
}

/** Reads the counters kept in the tables: there may be millions of deliveries to count. */
export async function loadBacklog(storage: Storage): Promise<DeliveryBacklog> {
  const now = storage.clock.now()
  const counts = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.one(backlogCounts, { now: timestampOf(now) }),
  )
  return {
    deliveries: Number(counts?.deliveries ?? 0),
    events: Number(counts?.events ?? 0),
    overdueSeconds: counts?.due_at ? Math.max(0, now - Date.parse(counts.due_at)) / 1000 : 0,
  }
}

/** Deleted workspaces send nothing, so their deliveries are no backlog. */
const isNotDeleted = sql<boolean>`not ${isDeletedWorkspace('webhooks.workspace_id')}`

const backlogCounts = unscopedQuery((db, $: { now: string }) =>
  db.selectNoFrom((is) => [
    is
      .selectFrom('webhooks')
      .select(sql<number>`coalesce(sum(pending_count), 0)`.as('n'))
      .where('next_due_at', 'is not', null)
      .where(isNotDeleted)
      .as('deliveries'),
    is
      .selectFrom('webhooks')
      .select((webhook) => webhook.fn.min('next_due_at').as('due_at'))
      .where('next_due_at', '<=', $.now)
      .where(isNotDeleted)
      .as('due_at'),
    is
      .selectFrom('workspaces')
      .select(sql<number>`coalesce(sum(last_sequence - fanned_out_sequence), 0)`.as('n'))
      .where('has_unsent_events', '=', sql.lit(1))
      .where('deleted_at', 'is', null)
      .as('events'),
  ]),
)
