import { sql } from 'kysely'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { isDeletedWorkspace } from '#storage/deleted-workspaces.ts'
import { queryOfAll } from '#storage/statement.ts'

const AT_ONCE = 1_000
/** So many pages at the most: who is not seen in one round is in a later one, when others are done. */
const MOST_PAGES = 20

/** Which workspaces have something to send, and the milliseconds until another will have. */
export interface Found {
  workspaces: Set<string>
  nextIn: number | undefined
}

/** Looks through all workspaces but those that another living dispatcher sends for. */
export async function lookRound(storage: Storage, dispatcher_id: string): Promise<Found> {
  const now = timestampOf(storage.clock.now())
  const workspaces = new Set<string>()
  let after = { due_at: '', id: '' }
  for (let page = 0; page < MOST_PAGES; page++) {
    const rows = await storage.read(NOBODY, (tx) =>
      tx.all(webhooksDue, { ...after, now, dispatcher_id, limit: AT_ONCE }),
    )
    for (const { workspace_id } of rows) workspaces.add(workspace_id)
    const last = rows.at(-1)
    if (!last || rows.length < AT_ONCE) break
    after = { due_at: last.next_due_at ?? '', id: last.id }
  }
  const { news, replaying, next } = await storage.read(NOBODY, async (tx) => ({
    news: await tx.all(workspacesWithNews, { now, dispatcher_id, limit: AT_ONCE }),
    replaying: await tx.all(workspacesReplaying, { limit: AT_ONCE }),
    next: await tx.one(nextDue, { now }),
  }))
  for (const { workspace_id } of replaying) workspaces.add(workspace_id)
  for (const { id } of news) workspaces.add(id)
  const at = next?.next_due_at
  return { workspaces, nextIn: at ? Date.parse(at) - storage.clock.now() : undefined }
}

interface Asking {
  dispatcher_id: string
  now: string
}

/** Whether nobody else who lives sends for the workspace in a column. */
const unclaimed = (column: string, $: Asking) => sql<boolean>`not exists (
  select 1 from workspaces as theirs
  join dispatchers on dispatchers.id = theirs.dispatcher_id
  where theirs.id = ${sql.ref(column)} and dispatchers.id <> ${$.dispatcher_id}
    and dispatchers.alive_until > ${$.now})`

/** Webhooks that have something to do, the longest waiting first. */
const webhooksDue = queryOfAll((db, $: Asking & { due_at: string; id: string; limit: number }) =>
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

/** Workspaces with events that are not among the deliveries yet. */
const workspacesWithNews = queryOfAll((db, $: Asking & { limit: number }) =>
  db
    .selectFrom('workspaces')
    .select('id')
    .where('has_unsent_events', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where(unclaimed('workspaces.id', $))
    .orderBy('id')
    .limit($.limit),
)

/** Workspaces with a replay that is not queued whole. */
const workspacesReplaying = queryOfAll((db, $: { limit: number }) =>
  db
    .selectFrom('replays')
    .select('workspace_id')
    .where(sql<boolean>`not ${isDeletedWorkspace('replays.workspace_id')}`)
    .distinct()
    .limit($.limit),
)

/** When the next webhook has something to do. */
const nextDue = queryOfAll((db, $: { now: string }) =>
  db
    .selectFrom('webhooks')
    .select('next_due_at')
    .where('next_due_at', '>', $.now)
    .orderBy('next_due_at')
    .limit(1),
)
