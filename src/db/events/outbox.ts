import { sql } from 'kysely'
import type { Actor } from '#core/actor.ts'
import type { UnnumberedChange } from '#core/changes/pending-change.ts'
import type { PendingEvent, WriteTx } from '#core/transaction.ts'
import { batchesOf } from '#lib/batches.ts'
import { newId } from '#lib/id.ts'
import { command, pickSlots, query, type Scoped, unscopedQuery } from '../core/statement.ts'
import type { EventRow } from '../schema/tables.ts'

/** How many payloads are written at once; a bulk request may cause a hundred thousand. */
const EVENTS_PER_BATCH = 200

/** A write that knows whether it changed records of the feed of changes. */
interface RecordWrite extends WriteTx {
  readonly hasRecordChanges: boolean
  /** Whether events have been stored before its end (`storeEvents`). */
  readonly hasStoredEvents: boolean
}

/** What to announce about a transaction once it is committed. */
export interface OutboxResult {
  made: readonly UnnumberedChange[]
  /** The number of the first change. */
  first: number
  /** The dispatcher that has to send the events; undefined if no webhook waits for them. */
  sending: { dispatcher_id: string | null } | undefined
}

/**
 * Stores the events that operations emitted, in the same transaction. It runs last, because the
 * workspace's counter stays locked until the commit, which keeps the sequence free of gaps. The
 * payload is the envelope (docs/spec/api.md#event-envelope), and its bytes are never generated again. Changes are not
 * stored, only counted, where the database numbers them.
 */
export async function writeOutbox(
  tx: RecordWrite,
  made: readonly UnnumberedChange[] = [],
): Promise<OutboxResult | undefined> {
  const [eventCount, notices, changes] = [
    tx.events.length,
    made.length,
    tx.hasRecordChanges ? 1 : 0,
  ]
  const hasEvents = eventCount > 0 || tx.hasStoredEvents
  if (!hasEvents && notices === 0) {
    if (changes > 0) await tx.run(advanceChangeNumber, {})
    return undefined
  }
  // The connection runs them in order; awaiting them together saves a round trip.
  const [, counter] = await Promise.all([
    eventCount > 0
      ? tx.run(advanceCounters, { by: eventCount, notices, changes })
      : tx.run(addNotices, { notices, changes }),
    tx.one(loadCounters, {}),
  ])
  if (eventCount > 0) await writeEvents(tx, counter)
  if (!counter) return undefined
  const { last_notice, dispatcher_id, has_unsent_events } = counter
  const isSending = hasEvents && has_unsent_events === 1
  const sending = isSending ? { dispatcher_id } : undefined
  return { made, first: last_notice - notices + 1, sending }
}

/** Stores the events so far; from here on the counter of the workspace stays locked. */
export async function storeEvents(tx: WriteTx): Promise<void> {
  await tx.run(advanceCounters, { by: tx.events.length, notices: 0, changes: 0 })
  await writeEvents(tx, await tx.one(loadCounters, {}))
}

async function writeEvents(
  tx: WriteTx,
  counter: { last_sequence: number } | undefined,
): Promise<void> {
  if (!counter) throw new Error('The workspace of this transaction is gone')
  let sequence = counter.last_sequence - tx.events.length
  for (const events of batchesOf(tx.events, EVENTS_PER_BATCH)) {
    const rows = events.map((event) => {
      sequence += 1
      const id = newId('evt', tx.nowMs)
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
    await tx.runEach(insertEvent, rows)
  }
}

function envelope(
  { actor, now }: WriteTx,
  event: PendingEvent,
  id: string,
  sequence: number,
): string {
  const head = JSON.stringify({
    id,
    type: event.kind,
    timestamp: now,
    workspace_id: actor.workspace_id,
    project_id: event.project_id,
    sequence,
    operation_id: event.operation_id,
    api_version: 'v1',
    actor: toEventActor(actor),
  })
  const changes = JSON.stringify(event.changes ?? {})
  return `${head.slice(0, -1)},"data":${event.record},"changes":${changes}}`
}

/** The actor as it appears in an event. */
export const toEventActor = ({ type, user_id, name, credential_id }: Actor) => ({
  type,
  user_id,
  name,
  credential_id: type === 'user' ? null : credential_id,
})

const advanceCounters = command((db, $: Scoped<{ by: number; notices: number; changes: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({
      last_sequence: workspace('last_sequence', '+', $.by),
      last_notice: workspace('last_notice', '+', $.notices),
      last_change_number: workspace('last_change_number', '+', $.changes),
      has_unsent_events: sql<number>`case when exists (
        select 1 from webhooks where workspace_id = ${$.workspace_id} and is_active = 1
      ) then 1 else has_unsent_events end`,
    }))
    .where('id', '=', $.workspace_id),
)

const loadCounters = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['last_sequence', 'last_notice', 'dispatcher_id', 'has_unsent_events'])
    .where('id', '=', $.workspace_id),
)

const addNotices = command((db, $: Scoped<{ notices: number; changes: number }>) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({
      last_notice: workspace('last_notice', '+', $.notices),
      last_change_number: workspace('last_change_number', '+', $.changes),
    }))
    .where('id', '=', $.workspace_id),
)

/** Ends the number that the changed records of this transaction have (`numberChanges`). */
const advanceChangeNumber = command((db, $: Scoped) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({ last_change_number: workspace('last_change_number', '+', 1) }))
    .where('id', '=', $.workspace_id),
)

/** How many changes of the workspace have been numbered. */
export const changeCount = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('last_notice').where('id', '=', $.workspace_id),
)

/** The change counts of several workspaces. */
export const changeCounts = unscopedQuery((db, $: { ids: string[] }, { inList }) =>
  db.selectFrom('workspaces').select(['id', 'last_notice']).where(inList('id', $.ids)),
)

const insertEvent = command((db, $: Scoped<EventRow>) =>
  db
    .insertInto('events')
    .values(
      pickSlots(
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
