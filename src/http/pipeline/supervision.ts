import { hash } from 'node:crypto'
import { conflict } from '#core/api-error.ts'
import { type OperationEvent, recordIdOf, toOperationChange } from '#core/operation-change.ts'
import type { SentWrite, WriteEffect } from '#core/pending-request.ts'
import { truncateDescription } from '#core/record-diff.ts'
import type { WriteTx } from '#core/transaction.ts'
import { readEventLogBounds } from '#db/events/outbox.ts'
import { notifyOfApproval } from '#db/notifications/notify.ts'
import { eventsInRange } from '#db/operations/operations.ts'
import {
  insertPendingOperation,
  MAX_PENDING_OPERATIONS,
  openOperationByFingerprint,
  openOperationCount,
  pendingSince,
  pendingUntil,
  recentChangeCount,
} from '#db/operations/pending-operations.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { firstIdAt } from '#lib/id.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { OperationRecord } from '#wire/operation-record.ts'
import type { Supervision, SupervisionReason } from '#wire/supervision.ts'
import { fingerprintRequest } from './idempotency.ts'
import type { OperationReply } from './request-handler.ts'

const MAX_CHANGES = 100
/** More events a single request cannot cause. */
const MAX_EVENTS = 1_000_000

/** A write that has run within a savepoint, which its supervision rolls back. */
class ApprovalRequired extends Error {
  readonly effect: WriteEffect
  readonly reasons: readonly SupervisionReason[]

  constructor(effect: WriteEffect, reasons: readonly SupervisionReason[]) {
    super('A write of a supervised credential has to wait for a person')
    this.effect = effect
    this.reasons = reasons
  }
}

/** The reply of a write, and the revision of the record that it found. */
export interface WriteOutcome {
  reply: OperationReply
  revision: number | string | undefined
}

interface SupervisedWrite {
  endpoint: Endpoint
  supervision: Supervision
  request: SentWrite
  baseUrl: string
  /** Runs the write. */
  run: () => Promise<WriteOutcome>
  /** Throws for a request that cannot be stored. */
  assertCanWait: () => void
}

/**
 * Runs a write of a supervised credential and looks at what it has done: the path by which it did so makes no
 * difference. If a person has to allow it, it is rolled back and stored, and the reply is 202 with the pending
 * operation.
 */
export async function superviseWrite(tx: WriteTx, write: SupervisedWrite): Promise<OperationReply> {
  const { endpoint, supervision, run } = write
  const { newest } = await readEventLogBounds(tx)
  try {
    return await tx.runOperation(async () => {
      const outcome = await run()
      const events = await readEventsSince(tx, newest)
      const effect = toEffect(tx, events, outcome)
      const reasons = await findReasons(tx, endpoint, supervision, { events, effect, newest })
      if (reasons.length > 0) throw new ApprovalRequired(effect, reasons)
      return outcome.reply
    }, tx.operation_id)
  } catch (error) {
    if (!(error instanceof ApprovalRequired)) throw error
    write.assertCanWait()
    return storePending(tx, write, error)
  }
}

/** What the write of this transaction has done since an event of the log. */
export async function readEffectSince(
  tx: WriteTx,
  newest: number,
  outcome: WriteOutcome,
): Promise<WriteEffect> {
  return toEffect(tx, await readEventsSince(tx, newest), outcome)
}

/** Its events, of which those with large records are in the log already. */
async function readEventsSince(tx: WriteTx, newest: number): Promise<OperationEvent[]> {
  const range = { first: newest + 1, last: Number.MAX_SAFE_INTEGER, limit: MAX_EVENTS }
  const stored = await tx.all(eventsInRange, range)
  return [
    ...stored.map(({ payload }) => JSON.parse(payload) as OperationEvent),
    ...tx.events.map(({ kind, record, project_id, changes = {} }) => ({
      type: kind,
      project_id,
      data: JSON.parse(record) as OperationEvent['data'],
      changes,
    })),
  ]
}

function toEffect(
  { now }: WriteTx,
  events: readonly OperationEvent[],
  { revision }: WriteOutcome,
): WriteEffect {
  return {
    record_count: new Set(events.map(recordIdOf)).size + countUntagged(events),
    changes: events
      .slice(0, MAX_CHANGES)
      .map((event) => toOperationChange({ ...event, changes: truncateDescription(event.changes) })),
    digest: digestOf(now, events, revision),
  }
}

/** A deleted tag is taken from all its tasks, of which no event tells. */
const countUntagged = (events: readonly OperationEvent[]): number =>
  events
    .filter(({ type }) => type === 'tag.deleted')
    .reduce((sum, { data }) => sum + Number(data.task_count), 0)

/** Matches the ids of all records. */
const RECORD_ID = /\b[a-z]{3}_[0-9a-z]{26}\b/g

/** Fields that Docket itself chooses when the write runs: the next number of a project, a place, the day of today. */
const CHOSEN_FIELDS = ['number', 'short_id', 'url', 'position', 'spent_on']

/**
 * Is equal for writes that do the same. Neither the time of the write counts, nor the ids of what it creates, nor
 * fields that Docket chooses. Of a record that it creates its fields count, because they may follow from another one;
 * of one that it deletes everything, because all of it is lost; of what has no events, such as a webhook, the revision.
 */
function digestOf(
  now: string,
  events: readonly OperationEvent[],
  revision: WriteOutcome['revision'],
): string {
  const created = new Map<string, string>()
  for (const event of events)
    if (event.type.endsWith('.created')) created.set(recordIdOf(event), `new ${created.size}`)
  const lines = events.map((event) =>
    JSON.stringify([
      event.type,
      recordIdOf(event),
      event.project_id,
      Object.entries(event.changes).filter((change) => !isChosen(change)),
      event.type.endsWith('.created') ? withoutChosen(event.data) : null,
      event.type.endsWith('.deleted') ? lostState(event.data) : null,
    ])
      .replaceAll(now, 'now')
      .replace(RECORD_ID, (id) => created.get(id) ?? id),
  )
  if (events.length === 0) lines.push(String(revision ?? ''))
  return hash('sha256', lines.toSorted().join('\n'))
}

/** The time of a timer that the write stops follows from the clock, too. */
const isChosen = ([field, { from }]: [string, { from: unknown }]): boolean =>
  CHOSEN_FIELDS.includes(field) || (field === 'duration_seconds' && from === null)

const withoutChosen = (data: OperationEvent['data']): object =>
  Object.fromEntries(Object.entries(data).filter(([field]) => !CHOSEN_FIELDS.includes(field)))

/** Of a task its version, which counts its changes, and what is on it: other fields follow from the clock. */
function lostState(data: OperationEvent['data']): unknown {
  const { version, comment_count, attachment_count, subtask_count, time_spent_seconds } = data
  return version === undefined
    ? data
    : [version, comment_count, attachment_count, subtask_count, time_spent_seconds]
}

/** The rules of a supervision that apply to a write. */
async function findReasons(
  tx: WriteTx,
  { scope, method }: Endpoint,
  supervision: Supervision,
  {
    events,
    effect: { record_count },
    newest,
  }: { events: readonly OperationEvent[]; effect: WriteEffect; newest: number },
): Promise<SupervisionReason[]> {
  const { records_per_request, records_per_hour } = supervision
  const reasons: SupervisionReason[] = []
  const has = (applies: (event: OperationEvent) => boolean) => events.some(applies)
  // The deletion of a webhook has no event.
  const deletes = method === 'DELETE' || has(({ type }) => /\.(deleted|removed)$/.test(type))
  if (supervision.deletions && deletes) reasons.push('deletions')
  if (supervision.moves && has(({ changes }) => (changes.project_id?.from ?? null) !== null))
    reasons.push('moves')
  if (supervision.webhooks && scope.startsWith('webhooks:')) reasons.push('webhooks')
  if (supervision.members && has(({ type }) => /^(project|member)\./.test(type)))
    reasons.push('members')
  if (records_per_request !== null && record_count > records_per_request)
    reasons.push('records_per_request')
  if (records_per_hour !== null && record_count > 0) {
    const { actor, nowMs } = tx
    const { count = 0 } =
      (await tx.one(recentChangeCount, {
        user_id: actor.user_id ?? '',
        credential_id: actor.credential_id ?? '',
        first_id: firstIdAt('opr', nowMs - HOUR_MS),
        last: newest,
      })) ?? {}
    if (Number(count) + record_count > records_per_hour) reasons.push('records_per_hour')
  }
  return reasons
}

/** Stores a request until a person decides on it, unless the same one waits already. */
async function storePending(
  tx: WriteTx,
  { endpoint, request, baseUrl }: SupervisedWrite,
  { effect, reasons }: ApprovalRequired,
): Promise<OperationReply> {
  const { actor } = tx
  const { params, query, body, allowed } = request
  const { user_id, credential_id } = requireCredential(tx)
  const since = pendingSince(tx)
  const path = `${endpoint.method} ${endpoint.path}`
  const fingerprint = fingerprintRequest(path, '', { params, query, body, allowed })
  const preview = JSON.stringify(effect.changes)
  const { record_count, digest } = effect
  const open = await tx.one(openOperationByFingerprint, {
    user_id,
    credential_id,
    since,
    fingerprint,
  })
  if (!open) {
    const { count = 0 } =
      (await tx.one(openOperationCount, { user_id, credential_id, since })) ?? {}
    if (Number(count) >= MAX_PENDING_OPERATIONS) throw tooManyPending()
    await tx.run(insertPendingOperation, {
      id: tx.operation_id,
      user_id,
      actor_type: actor.type === 'app' ? 'app' : 'api_key',
      credential_id,
      grant_id: actor.grant_id ?? null,
      status: 'pending',
      endpoint: path,
      request: JSON.stringify(request),
      fingerprint,
      reasons: JSON.stringify(reasons),
      record_count,
      preview,
      digest,
      created_at: tx.now,
    })
    await notifyOfApproval(tx, { id: tx.operation_id, user_id })
  }
  const { id, created_at } = open ?? { id: tx.operation_id, created_at: tx.now }
  const reply: OperationRecord = {
    id,
    created_at,
    actor: { type: actor.type, user_id, name: actor.name, credential_id },
    import_id: null,
    undoes_id: null,
    undone_by_id: null,
    event_count: record_count,
    changes: effect.changes,
    status: 'pending',
    reasons: [...reasons],
    expires_at: pendingUntil(created_at),
    reply: null,
  }
  return {
    status: 202,
    body: JSON.stringify(reply),
    location: `${baseUrl}/api/v1/operations/${id}`,
    etag: null,
    operation_id: id,
  }
}

function requireCredential({ actor: { user_id, credential_id } }: WriteTx) {
  if (user_id === null || credential_id === null)
    throw new Error('Only the credential of a user is supervised')
  return { user_id, credential_id }
}

const tooManyPending = () =>
  conflict(
    'limit_reached',
    `At most ${MAX_PENDING_OPERATIONS} requests of a credential can wait for a person.`,
  )
