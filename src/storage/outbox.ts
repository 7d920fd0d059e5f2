import { sql } from 'kysely'
import type { Actor } from '#core/actor.ts'
import type { Made } from '#core/noted.ts'
import type { Event, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { command, query, queryOfAll, row, type Scoped } from './statement.ts'
import type { EventRow } from './tables.ts'

/** What is to be told of a transaction when it is committed. */
export interface Written {
  made: readonly Made[]
  /** The number of the first notice. */
  first: number
  /** Who is to send the events that it wrote, if a webhook waits for them. */
  sending: { dispatcher_id: string | null } | undefined
}

/**
 * Writes down what operations have emitted, in the transaction that made it true. Last of all, for
 * the counter of the workspace stays locked until the commit: it makes the sequence free of gaps.
 * The payload is the envelope of the contract (8.1), and its bytes are never made again. Notices are
 * only counted: those that the database numbers.
 */
export async function writeOutbox(
  tx: WriteTx,
  made: readonly Made[] = [],
): Promise<Written | undefined> {
  const [by, notices] = [tx.events.length, made.length]
  if (by === 0 && notices === 0) return undefined
  // The one after the other, but without waiting in between.
  const [, counter] = await Promise.all([
    by > 0 ? tx.run(advance, { by, notices }) : tx.run(count, { notices }),
    tx.one(position, {}),
  ])
  if (by > 0) await writeEvents(tx, counter)
  if (!counter) return undefined
  const { last_notice, dispatcher_id, has_unsent_events } = counter
  const isSending = by > 0 && has_unsent_events === 1
  const sending = isSending ? { dispatcher_id } : undefined
  return { made, first: last_notice - notices + 1, sending }
}

async function writeEvents(
  tx: WriteTx,
  counter: { last_sequence: number } | undefined,
): Promise<void> {
  if (!counter) throw new Error('The workspace of this transaction is gone')
  const before = counter.last_sequence - tx.events.length
  const rows = tx.events.map((event, at) => {
    const [id, sequence] = [newId('evt', tx.instant), before + at + 1]
    return {
      sequence,
      id,
      type: event.kind,
      project_id: event.project_id,
      former_project_id: event.former_project_id ?? null,
      subject_id: event.subject_id,
      payload: envelope(tx, event, id, sequence),
      created_at: tx.now,
    }
  })
  await tx.each(append, rows)
}

function envelope({ actor, now }: WriteTx, event: Event, id: string, sequence: number): string {
  const head = JSON.stringify({
    id,
    type: event.kind,
    timestamp: now,
    workspace_id: actor.workspace_id,
    project_id: event.project_id,
    sequence,
    operation_id: event.operation_id,
    api_version: 'v1',
    actor: toldOf(actor),
  })
  const changes = JSON.stringify(event.changes ?? {})
  return `${head.slice(0, -1)},"data":${event.record},"changes":${changes}}`
}

/** Who did it, as an event tells it. */
export const toldOf = ({ type, user_id, name, credential_id }: Actor) => ({
  type,
  user_id,
  name,
  credential_id: type === 'user' ? null : credential_id,
})

const advance = command((db, $: Scoped<{ by: number; notices: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({
      last_sequence: workspace('last_sequence', '+', $.by),
      last_notice: workspace('last_notice', '+', $.notices),
      has_unsent_events: sql<number>`case when exists (
        select 1 from webhooks where workspace_id = ${$.workspace_id} and is_active = 1
      ) then 1 else has_unsent_events end`,
    }))
    .where('id', '=', $.workspace_id),
)

const position = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['last_sequence', 'last_notice', 'dispatcher_id', 'has_unsent_events'])
    .where('id', '=', $.workspace_id),
)

const count = command((db, $: Scoped<{ notices: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({ last_notice: workspace('last_notice', '+', $.notices) }))
    .where('id', '=', $.workspace_id),
)

/** How many notices of a workspace were numbered. */
export const noticesCounted = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('last_notice').where('id', '=', $.workspace_id),
)

/** The same of several workspaces. */
export const noticesCountedOfAll = queryOfAll((db, $: { ids: string[] }, { among }) =>
  db.selectFrom('workspaces').select(['id', 'last_notice']).where(among('id', $.ids)),
)

const append = command((db, $: Scoped<EventRow>) =>
  db
    .insertInto('events')
    .values(
      row(
        $,
        'workspace_id',
        'sequence',
        'id',
        'type',
        'project_id',
        'former_project_id',
        'subject_id',
        'payload',
        'created_at',
      ),
    ),
)
