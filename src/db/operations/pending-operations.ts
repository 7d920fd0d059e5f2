import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import {
  command,
  insertRow,
  pickSlots,
  type QueryBuilder,
  query,
  type Scoped,
} from '../core/statement.ts'
import type { PendingOperationRow } from '../schema/tables.ts'

const PENDING_TTL_MS = 7 * DAY_MS

/** How many requests of one credential may wait. */
export const MAX_PENDING_OPERATIONS = 100

/** What was asked for at this time or before cannot be allowed any more. */
export const pendingSince = ({ nowMs }: Pick<ReadTx, 'nowMs'>): string =>
  timestampOf(nowMs - PENDING_TTL_MS)

/** Until when what was asked for at `created_at` can be allowed. */
export const pendingUntil = (created_at: string): string =>
  timestampOf(Date.parse(created_at) + PENDING_TTL_MS)

/** The status of a request: one that nobody has decided in time has expired. */
export const pendingStatus = (
  tx: Pick<ReadTx, 'nowMs'>,
  { status, created_at }: Pick<PendingOperationRow, 'status' | 'created_at'>,
): PendingOperationRow['status'] | 'expired' =>
  status === 'pending' && created_at <= pendingSince(tx) ? 'expired' : status

/** Requests with the names of who has sent them, with which credential, and who has decided. */
export const selectPendingOperations = (db: QueryBuilder) =>
  db
    .selectFrom('pending_operations')
    .leftJoin('users', 'users.id', 'pending_operations.user_id')
    .leftJoin('users as deciders', 'deciders.id', 'pending_operations.decided_by_id')
    .leftJoin('api_keys', 'api_keys.id', 'pending_operations.credential_id')
    .leftJoin('applications', 'applications.id', 'pending_operations.credential_id')
    .select([
      'pending_operations.id',
      'pending_operations.user_id',
      'pending_operations.actor_type',
      'pending_operations.credential_id',
      'pending_operations.grant_id',
      'pending_operations.status',
      'pending_operations.endpoint',
      'pending_operations.request',
      'pending_operations.reasons',
      'pending_operations.record_count',
      'pending_operations.preview',
      'pending_operations.digest',
      'pending_operations.created_at',
      'pending_operations.decided_by_id',
      'pending_operations.decided_at',
      'pending_operations.reply_status',
      'pending_operations.reply',
      'users.name as user_name',
      'deciders.name as decided_by_name',
      sql<string | null>`coalesce(api_keys.name, applications.name)`.as('credential_name'),
    ])

export const pendingOperationById = query((db, $: Scoped<{ id: string }>) =>
  selectPendingOperations(db).where('pending_operations.id', '=', $.id),
)

export type PendingOperation = NonNullable<(typeof pendingOperationById)['rowType']>

interface OpenParams {
  user_id: string
  credential_id: string
  since: string
}

/** The same request of the same credential, if it waits. */
export const openOperationByFingerprint = query(
  (db, $: Scoped<OpenParams & { fingerprint: string }>) =>
    db
      .selectFrom('pending_operations')
      .select(['id', 'created_at'])
      .where('status', '=', 'pending')
      .where('user_id', '=', $.user_id)
      .where('credential_id', '=', $.credential_id)
      .where('fingerprint', '=', $.fingerprint)
      .where('created_at', '>', $.since),
)

export const openOperationCount = query((db, $: Scoped<OpenParams>) =>
  db
    .selectFrom('pending_operations')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('status', '=', 'pending')
    .where('user_id', '=', $.user_id)
    .where('credential_id', '=', $.credential_id)
    .where('created_at', '>', $.since),
)

export const insertPendingOperation = insertRow(
  'pending_operations',
  'id',
  'user_id',
  'actor_type',
  'credential_id',
  'grant_id',
  'status',
  'endpoint',
  'request',
  'fingerprint',
  'reasons',
  'record_count',
  'preview',
  'digest',
  'created_at',
)

type PendingPreview = Pick<
  PendingOperationRow,
  'id' | 'request' | 'record_count' | 'preview' | 'digest'
>

/** Replaces what a request would do, because something has changed since, or the person has changed the request. */
export const replacePreview = command((db, $: Scoped<PendingPreview>) =>
  db
    .updateTable('pending_operations')
    .set(pickSlots($, 'request', 'record_count', 'preview', 'digest'))
    .where('id', '=', $.id),
)

type Decision = Pick<
  PendingOperationRow,
  'id' | 'status' | 'decided_by_id' | 'decided_at' | 'reply_status' | 'reply'
>

export const decideOperation = command((db, $: Scoped<Decision>) =>
  db
    .updateTable('pending_operations')
    .set(pickSlots($, 'status', 'decided_by_id', 'decided_at', 'reply_status', 'reply'))
    .where('id', '=', $.id),
)

type RecentParams = { user_id: string; credential_id: string; first_id: string; last: number }

/** How many changes the operations of a credential since `first_id` have made, up to an event of the log. */
export const recentChangeCount = query((db, $: Scoped<RecentParams>) =>
  db
    .selectFrom('operations')
    .innerJoin('events', (join) =>
      join
        .onRef('events.sequence', '>=', 'operations.first_sequence')
        .onRef('events.sequence', '<=', 'operations.last_sequence'),
    )
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('operations.credential_id', '=', $.credential_id)
    .where('operations.user_id', '=', $.user_id)
    .where('operations.id', '>=', $.first_id)
    .where('events.sequence', '<=', $.last)
    // It repeats the changes of the event before it.
    .where('events.type', '<>', 'task.assigned'),
)

export const deletePendingOperations = command((db, $: Scoped<{ before_id: string }>) =>
  db.deleteFrom('pending_operations').where('id', '<', $.before_id),
)

export const anyPendingOperationBefore = query((db, $: Scoped<{ before_id: string }>) =>
  db.selectFrom('pending_operations').select('id').where('id', '<', $.before_id).limit(1),
)

/** Changes with what a request does: with its body, and with its effect. */
export const versionOf = ({ request, digest }: Pick<PendingOperation, 'request' | 'digest'>) =>
  hash('sha256', `${digest}\n${request}`)
