import { hash } from 'node:crypto'
import { Refusal } from '#core/refusal.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import type { ReplyRow } from '#storage/tables.ts'
import type { Answer } from './answer.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

/** A request as its key stands for it. */
export interface Keyed {
  key: string
  /** Of method, target and body; two requests are the same when it is. */
  fingerprint: string
  /** The reply holds a secret, so it is kept sealed. */
  secret: boolean
}

/** The key of a request, if it has one (contract 1.9). */
export function keyOf(
  headers: string | string[] | undefined,
  rawCount: number,
): string | undefined {
  if (headers === undefined) return undefined
  if (rawCount === 1 && typeof headers === 'string' && /^[\x21-\x7e]{1,255}$/.test(headers)) {
    return headers
  }
  const message = 'Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.'
  throw new Refusal(400, 'invalid_header', message, {
    details: [{ field: 'Idempotency-Key', code: 'invalid_format', message }],
  })
}

export const fingerprintOf = (method: string, target: string, body: unknown): string =>
  hash('sha256', `${method} ${target}\n${canonical(body)}`)

/** JSON text in which the order of members does not matter. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? ''
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`
}

/**
 * Does the work once for each key and gives the kept answer from then on. The answer is kept in the
 * transaction of the work: there is no moment at which one of them exists without the other. Two
 * requests of one key cannot overlap, because the writes of a workspace follow one another.
 */
export async function once(
  tx: WriteTx,
  keyed: Keyed | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (!keyed) return work()
  const { key, fingerprint, secret } = keyed
  const owner = ownerOf(tx)
  const kept = await tx.one(replyByKey, { ...owner, key })
  if (kept && isFresh(tx, kept)) {
    if (kept.fingerprint !== fingerprint) {
      throw new Refusal(
        422,
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request.',
      )
    }
    const { status, location, etag, operation_id } = kept
    const body = secret ? tx.unseal(kept.body) : kept.body
    return { status, body, location, etag, operation_id, replayed: true }
  }
  const answer = await work()
  // Only now, for by what it has changed the work tells whether it did anything.
  if (kept) await tx.run(forgetReply, { ...owner, key })
  const { status, location, etag, operation_id } = answer
  const body = secret ? tx.seal(answer.body) : answer.body
  const at = { created_at: tx.now }
  await tx.run(keepReply, {
    ...owner,
    key,
    fingerprint,
    status,
    body,
    location,
    etag,
    operation_id,
    ...at,
  })
  return answer
}

/** Whether a key has an answer already: what it is and to what, `once` tells. */
export async function isKept(tx: ReadTx, key: string): Promise<boolean> {
  const kept = await tx.one(replyByKey, { ...ownerOf(tx), key })
  return kept !== undefined && isFresh(tx, kept)
}

const ownerOf = ({ actor }: ReadTx) => ({
  user_id: actor.user_id ?? '',
  // The next session of a person goes on where the last has ended.
  credential: actor.type === 'user' ? 'session' : (actor.credential_id ?? 'session'),
})

const isFresh = ({ instant }: ReadTx, { created_at }: Pick<ReplyRow, 'created_at'>): boolean =>
  created_at > timestampOf(instant - KEPT_MS)

type Owned = Scoped<{ user_id: string; credential: string; key: string }>

const replyByKey = query((db, $: Owned) =>
  db
    .selectFrom('replies')
    .select(['fingerprint', 'status', 'body', 'location', 'etag', 'operation_id', 'created_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('credential', '=', $.credential)
    .where('key', '=', $.key),
)

const forgetReply = command((db, $: Owned) =>
  db
    .deleteFrom('replies')
    .where('workspace_id', '=', $.workspace_id)
    .where('user_id', '=', $.user_id)
    .where('credential', '=', $.credential)
    .where('key', '=', $.key),
)

const keepReply = command((db, $: Scoped<ReplyRow>) =>
  db
    .insertInto('replies')
    .values(
      row(
        $,
        'workspace_id',
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
      ),
    ),
)
