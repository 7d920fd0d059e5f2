import type { CredentialSupervision } from '#core/actor.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { command, memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import { timestampOf } from '#lib/clock.ts'
import { HOUR_MS } from '#lib/durations.ts'
import type { Supervision } from '#wire/supervision.ts'
import { bumpAuthVersion } from './auth-version.ts'

/** The tables of the credentials that programs have. */
export type CredentialTable = 'api_keys' | 'grants'

/** The columns of `api_keys` and of `grants`. */
interface SupervisionColumns {
  supervision: string | null
  allowed_until: string | null
  paused_at: string | null
}

/** How a credential is supervised, as an actor has it. */
export const readSupervision = ({
  supervision,
  allowed_until,
  paused_at,
}: SupervisionColumns): CredentialSupervision => ({
  supervision: supervision === null ? null : (JSON.parse(supervision) as Supervision),
  allowed_until,
  paused_at,
})

/**
 * Changes how a credential is supervised, or whether it is paused. Every process caches credentials, so the caller
 * must bump the auth version.
 */
export async function changeSupervision(
  tx: WriteTx,
  table: CredentialTable,
  id: string,
  changes: { supervision?: Supervision | null | undefined; paused?: boolean | undefined },
): Promise<void> {
  const before = await tx.one(supervisionOf(table), { id })
  if (!before) return
  const { supervision = readSupervision(before).supervision } = changes
  const isPaused = changes.paused ?? before.paused_at !== null
  const after: SupervisionColumns = {
    supervision: supervision && JSON.stringify(supervision),
    // What was allowed for an hour was allowed under the former rules.
    allowed_until: changes.supervision === undefined ? before.allowed_until : null,
    paused_at: isPaused ? (before.paused_at ?? tx.now) : null,
  }
  await tx.run(setSupervision(table), { id, ...after })
  if (changes.supervision !== undefined) tx.audit('credential.supervised', id, { supervision })
  if (isPaused === (before.paused_at !== null)) return
  tx.audit(isPaused ? 'credential.paused' : 'credential.resumed', id, {})
}

/** Lets a credential do everything for an hour without being asked about. */
export async function allowForAnHour(
  tx: WriteTx,
  table: CredentialTable,
  id: string,
): Promise<void> {
  const before = await tx.one(supervisionOf(table), { id })
  if (!before) return
  const allowed_until = timestampOf(tx.nowMs + HOUR_MS)
  await tx.run(setSupervision(table), { ...before, id, allowed_until })
  await bumpAuthVersion(tx)
  tx.audit('credential.allowed', id, { allowed_until })
}

/** What is supervised of a credential at the time of a transaction; undefined: nothing. */
export function activeSupervision({ actor, now }: ReadTx): Supervision | undefined {
  const { supervision, allowed_until } = actor
  if (!supervision || (allowed_until && allowed_until > now)) return undefined
  return supervision
}

const supervisionOf = memoizeByShape((table: CredentialTable) =>
  query((db, $: Scoped<{ id: string }>) =>
    db
      .selectFrom(table)
      .select(['supervision', 'allowed_until', 'paused_at'])
      .where('id', '=', $.id),
  ),
)

const setSupervision = memoizeByShape((table: CredentialTable) =>
  command((db, $: Scoped<SupervisionColumns & { id: string }>) =>
    db
      .updateTable(table)
      .set({
        supervision: $.supervision,
        allowed_until: $.allowed_until,
        paused_at: $.paused_at,
      })
      .where('id', '=', $.id),
  ),
)
