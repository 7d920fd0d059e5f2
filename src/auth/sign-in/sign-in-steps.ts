import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { SignInStepRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { hashLinkToken, newLinkToken } from '#lib/token.ts'

export type SignInStepKind = Exclude<SignInStepRow['kind'], 'completed'>

/**
 * The state of an unfinished sign-in. Only the browser, or the receiver of the link, has the token
 * for it.
 */
export interface SignInStep {
  user_id: string | null
  payload: string
}

interface NewSignInStep extends SignInStep {
  kind: SignInStepKind
  lastsMs: number
}

/** Stores the state of a sign-in. Returns the token to continue with; only its hash is stored. */
export async function createSignInStep(
  tx: WriteTx,
  { kind, lastsMs, ...step }: NewSignInStep,
): Promise<string> {
  const value = newLinkToken()
  const expires_at = timestampOf(tx.nowMs + lastsMs)
  await tx.run(insertStep, { hash: hashLinkToken(value), kind, expires_at, ...step })
  return value
}

/** Returns the step of a token unless it has expired. */
export async function findSignInStep(
  tx: ReadTx,
  kind: SignInStepKind,
  value: string | undefined,
): Promise<SignInStep | undefined> {
  const step = await tx.one(stepByHash, { hash: hashLinkToken(value ?? ''), kind })
  return step && step.expires_at > tx.now ? step : undefined
}

/** Returns and removes the step of a token. Of two concurrent requests only one gets it. */
export async function consumeSignInStep(
  tx: WriteTx,
  kind: SignInStepKind,
  value: string | undefined,
): Promise<SignInStep | undefined> {
  const step = await findSignInStep(tx, kind, value)
  const isFirst = (await tx.run(removeStep, { hash: hashLinkToken(value ?? '') })) === 1
  return isFirst ? step : undefined
}

const insertStep = unscopedCommand((db, $: SignInStepRow) =>
  db
    .insertInto('sign_in_steps')
    .values(pickSlots($, 'hash', 'kind', 'user_id', 'payload', 'expires_at')),
)

const stepByHash = unscopedQuery((db, $: { hash: string; kind: SignInStepKind }) =>
  db
    .selectFrom('sign_in_steps')
    .select(['user_id', 'payload', 'expires_at'])
    .where('hash', '=', $.hash)
    .where('kind', '=', $.kind),
)

const removeStep = unscopedCommand((db, $: { hash: string }) =>
  db.deleteFrom('sign_in_steps').where('hash', '=', $.hash),
)

/**
 * Ends a user's unfinished sign-ins, for example those that were started with a previous password.
 */
export const removeUserSignInSteps = unscopedCommand((db, $: { user_id: string }) =>
  db.deleteFrom('sign_in_steps').where('user_id', '=', $.user_id),
)
