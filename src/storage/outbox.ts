import { sql } from 'kysely'
import type { Actor } from '#core/actor.ts'
import type { Event, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { command, query, row, type Scoped } from './statement.ts'
import type { EventRow } from './tables.ts'

/**
 * Writes down what operations have emitted, in the transaction that made it true. Last of all, for
 * the counter of the workspace stays locked until the commit: it makes the sequence free of gaps.
 * The payload is the envelope of the contract (8.1), and its bytes are never made again.
 */
export async function writeOutbox(tx: WriteTx): Promise<void> {
  if (tx.events.length === 0) return
  await tx.run(advance, { by: tx.events.length })
  const counter = await tx.one(position, {})
  if (!counter) throw new Error('The workspace of this transaction is gone')
  let sequence = counter.last_sequence - tx.events.length
  for (const event of tx.events) {
    sequence += 1
    const id = newId('evt', tx.instant)
    await tx.run(append, {
      sequence,
      id,
      type: event.kind,
      project_id: event.project_id,
      former_project_id: event.former_project_id ?? null,
      subject_id: event.subject_id,
      payload: envelope(tx, event, id, sequence),
      created_at: tx.now,
    })
  }
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

const advance = command((db, $: Scoped<{ by: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({
      last_sequence: workspace('last_sequence', '+', $.by),
      has_unsent_events: sql<number>`case when exists (
        select 1 from webhooks where workspace_id = ${$.workspace_id} and is_active = 1
      ) then 1 else has_unsent_events end`,
    }))
    .where('id', '=', $.workspace_id),
)

const position = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('last_sequence').where('id', '=', $.workspace_id),
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
