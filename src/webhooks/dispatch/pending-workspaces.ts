import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { timestampOf } from '#lib/clock.ts'

const PAGE_SIZE = 1_000
/** Webhooks beyond the last page are found in a later round, when others are done. */
const MAX_PAGES = 20

/** The workspaces with something to send, and the milliseconds until the next webhook is due. */
export interface PendingWorkspaces {
  workspaces: Set<string>
  nextInMs: number | undefined
}

/** Finds work in all workspaces except those claimed by another live dispatcher. */
export async function findPendingWorkspaces(
  storage: Storage,
  dispatcher_id: string,
): Promise<PendingWorkspaces> {
  const now = timestampOf(storage.clock.now())
  const workspaces = new Set<string>()
  let after = { due_at: '', id: '' }
  for (let page = 0; page < MAX_PAGES; page++) {
    const rows = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(webhooksDue, { ...after, now, dispatcher_id, limit: PAGE_SIZE }),
    )
    for (const { workspace_id } of rows) workspaces.add(workspace_id)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) break
    after = { due_at: last.next_due_at ?? '', id: last.id }
  }
  const { unsent, replaying, next } = await storage.read(ANONYMOUS_ACTOR, async (tx) => ({
    unsent: await tx.all(workspacesWithUnsentEvents, { now, dispatcher_id, limit: PAGE_SIZE }),
    replaying: await tx.all(workspacesReplaying, { limit: PAGE_SIZE }),
    next: await tx.one(nextDue, { now }),
  }))
  for (const { workspace_id } of replaying) workspaces.add(workspace_id)
  for (const { id } of unsent) workspaces.add(id)
  const nextDueAt = next?.next_due_at
  return {
    workspaces,
    nextInMs: nextDueAt ? Date.parse(nextDueAt) - storage.clock.now() : undefined,
  }
}

interface DispatcherParams {
  dispatcher_id: string
  now: string
}

/** Whether no other live dispatcher has claimed the workspace in a column. */
const unclaimed = (column: string, $: DispatcherParams) => sql<boolean>`not exists (
  select 1 from workspaces as theirs
  join dispatchers on dispatchers.id = theirs.dispatcher_id
  where theirs.id = ${sql.ref(column)} and dispatchers.id <> ${$.dispatcher_id}
    and dispatchers.alive_until > ${$.now})`

/** Webhooks with due deliveries, the longest waiting first. */
const webhooksDue = unscopedQuery(
  (db, $: DispatcherParams & { due_at: string; id: string; limit: number }) =>
    db
      .selectFrom('webhooks')
      .select(['workspace_id', 'next_due_at', 'id'])
      .where('next_due_at', '<=', $.now)
      .where(sql<boolean>`not ${isDeletedWorkspace('webhooks.workspace_id')}`)
      .where(sql<boolean>`(next_due_at, id) > (${$.due_at}, ${$.id})`)
      .where(unclaimed('webhooks.workspace_id', $))
      .orderBy('next_due_at')
      .orderBy('id')
      .limit($.limit),
)

/** Workspaces with events that are not fanned out yet. */
const workspacesWithUnsentEvents = unscopedQuery((db, $: DispatcherParams & { limit: number }) =>
  db
    .selectFrom('workspaces')
    .select('id')
    .where('has_unsent_events', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where(unclaimed('workspaces.id', $))
    .orderBy('id')
    .limit($.limit),
)

/** Workspaces with a replay that is not completely queued. */
const workspacesReplaying = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('replays')
    .select('workspace_id')
    .where(sql<boolean>`not ${isDeletedWorkspace('replays.workspace_id')}`)
    .distinct()
    .limit($.limit),
)

/** When the next webhook is due. */
const nextDue = unscopedQuery((db, $: { now: string }) =>
  db
    .selectFrom('webhooks')
    .select('next_due_at')
    .where('next_due_at', '>', $.now)
    .orderBy('next_due_at')
    .limit(1),
)
