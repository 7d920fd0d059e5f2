import { sql } from 'kysely'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { workspaceFull } from '#core/api-error.ts'
import { isShortEnough, truncateDescription } from '#core/record-diff.ts'
import type { PendingEvent, ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { batchesOf } from '#lib/batches.ts'
import { newId } from '#lib/id.ts'
import { command, insertRow, query, type Scoped, unscopedQuery } from '../core/statement.ts'
import { type OperationRange, writeOperations } from '../operations/operations.ts'
import { keepInTrash } from '../operations/trash.ts'

/** Where the event log of a workspace begins and ends. */
interface EventLogBounds {
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

const logColumns = query((db) =>
  db.selectFrom('workspaces').select(['log_from_sequence as start', 'last_sequence as newest']),
)

/**
 * The time of the newest event of all workspaces, found by one key of each workspace. A subquery, because
 * SQLite would begin a join with all events: a start with 100,000 of them read 326 MB.
 */
export const newestEvent = unscopedQuery((db, _: object) =>
  db
    .with('newest', (db) =>
      db
        .selectFrom('workspaces')
        .select((row) =>
          row
            .selectFrom('events')
            .whereRef('events.workspace_id', '=', 'workspaces.id')
            .whereRef('events.sequence', '=', 'workspaces.last_sequence')
            .select('events.created_at')
            .as('created_at'),
        ),
    )
    .selectFrom('newest')
    .select((is) => is.fn.max<string | null>('created_at').as('created_at')),
)

/** The clock of the machine on which PostgreSQL runs. */
const postgresTime = unscopedQuery((db, _: object) =>
  db.selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`.as('ms')),
)

/** How far clocks and stored times are ahead of the clock of this process, in milliseconds. */
interface ClockDifferences {
  /** Of the newest event; negative if it is in the past, as it should be. */
  newestEventMs: number
  /** Of PostgreSQL; 0 on SQLite, which has no clock of its own. */
  databaseMs: number
}

/** Compares the clock of this process with its own past and with the clock of the database. */
export async function measureClockDifferences(storage: Storage): Promise<ClockDifferences> {
  const { clock, engine } = storage
  const newest = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(newestEvent, {}))
  const newestEventMs = newest?.created_at ? Date.parse(newest.created_at) - clock.now() : 0
  if (engine === 'sqlite') return { newestEventMs, databaseMs: 0 }
  const before = clock.now()
  const time = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(postgresTime, {}))
  const now = (before + clock.now()) / 2
  return { newestEventMs, databaseMs: (time?.ms ?? now) - now }
}

/** How many payloads are written at once; a bulk request may cause a hundred thousand. */
const EVENTS_PER_BATCH = 200

/** A write that knows whether it changed records of the feed of changes. */
interface RecordWrite extends WriteTx {
  readonly hasRecordChanges: boolean
  /** Whether events have been stored before its end (`storeEvents`). */
  readonly hasStoredEvents: boolean
  readonly fileBytes: number
  readonly storedEventBytes: number
  /** Whether it has added a record with texts. */
  readonly addsTexts: boolean
  /** Whether it has deleted a record. */
  readonly hasDeletions: boolean
  /** Whether one of several operations has deleted no record. */
  readonly hasOtherOperations: boolean
  readonly pendingAuditEntries: readonly unknown[]
}

/** The dispatcher that has to send the events of a transaction. */
export interface PendingSending {
  dispatcher_id: string | null
}

/**
 * Stores the events that operations emitted, in the same transaction. It runs last, because the
 * workspace's counter stays locked until the commit, which keeps the sequence free of gaps. The
 * payload is the envelope (docs/spec/api.md#event-envelope), and its bytes are never generated again.
 * Returns undefined if no webhook waits for events.
 */
export async function writeOutbox(tx: RecordWrite): Promise<PendingSending | undefined> {
  const [eventCount, changes] = [tx.events.length, tx.hasRecordChanges ? 1 : 0]
  const hasEvents = eventCount > 0 || tx.hasStoredEvents
  const { fileBytes: content, storedEventBytes } = tx
  if (!hasEvents && content === 0 && !tx.addsTexts) {
    if (changes > 0) await tx.run(advanceChangeNumber, {})
    return undefined
  }
  const counter = await tx.one(loadCounters, {})
  if (!counter) {
    if (eventCount > 0) throw new Error('The workspace of this transaction is gone')
    return undefined
  }
  const { last_sequence, dispatcher_id, has_unsent_events } = counter
  const { batches, bytes, operations } = toEventRows(tx, last_sequence)
  const history = storedEventBytes + bytes
  assertWithinQuota(tx, counter, history)
  const growth = { content, history, changes, has_unsent_events }
  // The connection runs them in order; awaiting them together saves a round trip.
  await Promise.all([
    eventCount > 0
      ? tx.run(advanceCounters, { ...growth, by: eventCount })
      : tx.run(addBytes, growth),
    ...batches.map((rows) => tx.runEach(insertEvent, rows)),
    writeOperations(tx, operations),
    keepReplacedTexts(tx),
  ])
  return hasEvents && has_unsent_events === 1 ? { dispatcher_id } : undefined
}

/** Stores the events so far, and returns their bytes, which count as soon as the transaction ends. */
export async function storeEvents(tx: WriteTx): Promise<number> {
  const counter = await tx.one(loadCounters, {})
  if (!counter) throw new Error('The workspace of this transaction is gone')
  const { batches, bytes, operations } = toEventRows(tx, counter.last_sequence)
  const { has_unsent_events } = counter
  const growth = { content: 0, history: 0, changes: 0, has_unsent_events }
  await tx.run(advanceCounters, { ...growth, by: tx.events.length })
  for (const rows of batches) await tx.runEach(insertEvent, rows)
  await writeOperations(tx, operations)
  await keepReplacedTexts(tx)
  return bytes
}

/** The part of a quota beyond it that changes may use which add neither record nor file. */
const RESERVED_PART = 0.1

/**
 * Refuses what makes a full workspace larger, by its last count and the events and files since: no record and
 * no file is added. Changes of what exists, such as completing a task or shortening a text, have a reserve.
 * What deletes, or changes who may do what, is never refused unless the same request does something else, nor
 * are background jobs, nor imports, which ask before each batch.
 */
function assertWithinQuota(tx: RecordWrite, counter: StorageCounters, history: number): void {
  const { actor, fileBytes } = tx
  if (actor.type === 'system' || actor.source === 'import') return
  const { workspaceBytes } = tx.settings
  const used = counter.content_bytes + counter.history_bytes + fileBytes + history
  if (used <= workspaceBytes || (fileBytes < 0 && fileBytes + history <= 0)) return
  const isAlwaysAllowed =
    (tx.hasDeletions || (tx.pendingAuditEntries.length > 0 && !tx.addsTexts)) &&
    !tx.hasOtherOperations
  const isWithinReserve = !tx.addsTexts && used <= workspaceBytes * (1 + RESERVED_PART)
  if (fileBytes <= 0 && (isAlwaysAllowed || isWithinReserve)) return
  throw workspaceFull(workspaceBytes)
}

interface StorageCounters {
  content_bytes: number
  history_bytes: number
}

/**
 * The rows of the pending events, numbered after the last one, with the bytes of their payloads and the events of
 * each operation.
 */
function toEventRows(tx: WriteTx, last_sequence: number) {
  let sequence = last_sequence
  let bytes = 0
  const operations = new Map<string, OperationRange>()
  const batches = [...batchesOf(tx.events, EVENTS_PER_BATCH)].map((events) =>
    events.map((event) => {
      sequence += 1
      const id = newId('evt', tx.nowMs)
      const payload = envelope(tx, event, id, sequence)
      bytes += Buffer.byteLength(payload)
      const { first_sequence = sequence } = operations.get(event.operation_id) ?? {}
      operations.set(event.operation_id, { first_sequence, last_sequence: sequence })
      return {
        sequence,
        id,
        type: event.kind,
        project_id: event.project_id,
        former_project_id: event.former_project_id ?? null,
        subject_id: event.subject_id,
        payload,
        created_at: tx.now,
      }
    }),
  )
  return { batches, bytes, operations }
}

/** Events leave long descriptions out; what a change has replaced is needed to undo it. */
async function keepReplacedTexts(tx: WriteTx): Promise<void> {
  for (const { kind, subject_id, operation_id, changes } of tx.events) {
    const from = changes?.description?.from
    // `task.assigned` beside another event has the same changes.
    if (typeof from !== 'string' || isShortEnough(from) || kind === 'task.assigned') continue
    const task_id = kind.startsWith('task.') ? { task_id: subject_id } : {}
    await keepInTrash(tx, {
      type: 'description',
      id: subject_id,
      ...task_id,
      record: from,
      operation_id,
    })
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
  const changes = JSON.stringify(truncateDescription(event.changes ?? {}))
  return `${head.slice(0, -1)},"data":${event.record},"changes":${changes}}`
}

/** The actor as it appears in an event. */
export const toEventActor = ({ type, user_id, name, credential_id }: Actor) => ({
  type,
  user_id,
  name,
  credential_id: type === 'user' ? null : credential_id,
})

interface CounterGrowth {
  content: number
  history: number
  changes: number
}

const advanceCounters = command(
  (db, $: Scoped<CounterGrowth & { by: number; has_unsent_events: number }>) =>
    db.updateTable('workspaces').set((workspace) => ({
      content_bytes: workspace('content_bytes', '+', $.content),
      history_bytes: workspace('history_bytes', '+', $.history),
      last_sequence: workspace('last_sequence', '+', $.by),
      last_change_number: workspace('last_change_number', '+', $.changes),
      has_unsent_events: $.has_unsent_events,
    })),
)

/** Before they are advanced, except that `has_unsent_events` is as it will be after an event. */
const loadCounters = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select([
    'last_sequence',
    'dispatcher_id',
    'content_bytes',
    'history_bytes',
    sql<number>`case when exists (
        select 1 from webhooks where workspace_id = ${$.workspace_id} and is_active = 1
      ) then 1 else has_unsent_events end`.as('has_unsent_events'),
  ]),
)

const addBytes = command((db, $: Scoped<CounterGrowth>) =>
  db.updateTable('workspaces').set((workspace) => ({
    content_bytes: workspace('content_bytes', '+', $.content),
    history_bytes: workspace('history_bytes', '+', $.history),
    last_change_number: workspace('last_change_number', '+', $.changes),
  })),
)

/** Ends the number that the changed records of this transaction have (`numberChanges`). */
const advanceChangeNumber = command((db) =>
  db
    .updateTable('workspaces')
    .set((workspace) => ({ last_change_number: workspace('last_change_number', '+', 1) })),
)

/** The number of the newest change of records. */
export const newestChangeNumber = query((db) =>
  db.selectFrom('workspaces').select('last_change_number'),
)

/** The same of several workspaces. */
export const newestChangeNumbers = unscopedQuery((db, $: { ids: string[] }, { inList }) =>
  db.selectFrom('workspaces').select(['id', 'last_change_number']).where(inList('id', $.ids)),
)

const insertEvent = insertRow(
  'events',
  'sequence',
  'id',
  'type',
  'project_id',
  'former_project_id',
  'subject_id',
  'payload',
  'created_at',
)
