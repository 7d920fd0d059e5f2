import { hash } from 'node:crypto'
import { type Actor, viewerId } from '#core/actor.ts'
import { ApiError, invalidHeader } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { command, insertRow, query, type Scoped } from '#db/core/statement.ts'
import type { ReplyRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { ID_ENDING } from '#lib/id.ts'
import type { OperationReply } from './request-handler.ts'

const REPLY_TTL_MS = DAY_MS

/** A request that carries an Idempotency-Key. */
export interface IdempotentRequest {
  key: string
  /** Digest of method, target and body: equal for equal requests. */
  fingerprint: string
  /** The reply contains a secret, so it is stored encrypted. */
  secret: boolean
}

/** Parses the Idempotency-Key header, of which `rawCount` lines were sent (docs/spec/api.md#idempotency-key). */
export function parseIdempotencyKey(
  header: string | string[] | undefined,
  rawCount: number,
): string | undefined {
  if (header === undefined) return undefined
  if (rawCount === 1 && typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) {
    return header
  }
  const why = 'must be sent once and have 1 to 255 visible ASCII characters'
  throw invalidHeader('Idempotency-Key', 'invalid_format', why)
}

/**
 * How the ids of what a page creates end: by the last letters of its key, so that it knows its records also when the
 * reply is lost. Undefined for other clients, and if an id cannot have these letters.
 */
export const getIdEnding = ({ type }: Actor, key: string): string | undefined =>
  type === 'user' ? ID_ENDING.exec(key)?.[0] : undefined

export const fingerprintRequest = (method: string, target: string, body: unknown): string =>
  hash('sha256', `${method} ${target}\n${canonicalJson(body)}`)

/** JSON with sorted members, so that their order in the request makes no difference. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? ''
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/**
 * Does the work once for each key and returns the stored reply from then on. The reply is stored in
 * the transaction of the work, so neither can exist without the other. Two requests with the same
 * key cannot overlap, because the writes of a workspace are serialized.
 */
export async function withIdempotency(
  tx: WriteTx,
  request: IdempotentRequest | undefined,
  work: () => Promise<OperationReply>,
): Promise<OperationReply> {
  if (!request) return work()
  const { key, fingerprint, secret } = request
  const owner = ownerOf(tx)
  const stored = await tx.one(replyByKey, { ...owner, key })
  if (stored && isFresh(tx, stored)) {
    if (stored.fingerprint !== fingerprint) {
      throw new ApiError(
        422,
        'idempotency_key_reused',
        'This `Idempotency-Key` was already used for a different request. Use a new key.',
      )
    }
    const { status, location, etag, operation_id } = stored
    const body = secret ? tx.decrypt(stored.body) : stored.body
    return { status, body, location, etag, operation_id, isReplayed: true }
  }
  tx.endIdsWith(getIdEnding(tx.actor, key))
  const reply = await work()
  // Not before the work, which must not count this deletion among its own changes.
  if (stored) await tx.run(deleteReply, { ...owner, key })
  const { status, location, etag, operation_id } = reply
  const body = secret ? tx.encrypt(reply.body) : reply.body
  const created_at = tx.now
  await tx.run(insertReply, {
    ...owner,
    key,
    fingerprint,
    status,
    body,
    location,
    etag,
    operation_id,
    created_at,
  })
  return reply
}

/**
 * Whether a reply is stored for the key; the fingerprint is compared later, by `withIdempotency`.
 */
export async function hasStoredReply(tx: ReadTx, key: string): Promise<boolean> {
  const stored = await tx.one(replyByKey, { ...ownerOf(tx), key })
  return stored !== undefined && isFresh(tx, stored)
}

const ownerOf = ({ actor }: ReadTx) => ({
  user_id: viewerId(actor),
  // Keys outlive a session: after signing in again, a person's retry still finds its reply.
  credential: actor.type === 'user' ? 'session' : (actor.credential_id ?? 'session'),
})

const isFresh = ({ nowMs }: ReadTx, { created_at }: Pick<ReplyRow, 'created_at'>): boolean =>
  created_at > timestampOf(nowMs - REPLY_TTL_MS)

type StoredReplyKey = Scoped<{ user_id: string; credential: string; key: string }>

const replyByKey = query((db, $: StoredReplyKey) =>
  db
    .selectFrom('replies')
    .select(['fingerprint', 'status', 'body', 'location', 'etag', 'operation_id', 'created_at'])
    .where('user_id', '=', $.user_id)
    .where('credential', '=', $.credential)
    .where('key', '=', $.key),
)

const deleteReply = command((db, $: StoredReplyKey) =>
  db
    .deleteFrom('replies')
    .where('user_id', '=', $.user_id)
    .where('credential', '=', $.credential)
    .where('key', '=', $.key),
)

const insertReply = insertRow(
  'replies',
  'user_id',
  'credential',
  'key',
  'fingerprint',
  'status',
  'body',
  'location',
  'etag',
  'operation_id',
  'created_at',
)
