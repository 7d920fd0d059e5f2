import { hash } from 'node:crypto'
import type { ActionDeps } from '#core/session-action.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { pickSlots, unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import type { SignInStepRow } from '#db/schema/tables.ts'
import { timestampOf } from '#lib/clock.ts'
import { hashLinkToken, newLinkToken } from '#lib/token.ts'

/** Starts of a sign-in that anybody can request: at a passkey, and at the company's provider. */
export type SignInStateKind = 'passkey' | 'company'

/**
 * The state of a sign-in that has only been started. The browser keeps it, encrypted, because
 * anybody can start sign-ins without end: the server stores nothing until one is completed.
 */
interface SignInState {
  /** Set if the user was signed in at the start, to add a passkey or to link the account. */
  user_id: string | null
  payload: string
}

/** A state that its browser has sent back. */
export interface OpenedSignInState extends SignInState {
  /** Identifies the state: completed ones are recorded by it. */
  hash: string
  expiresAtMs: number
}

type StateDeps = Pick<ActionDeps, 'storage' | 'signInEncryptor'>

const STATE_TTL_MS = 10 * 60 * 1000
/** The clocks of two processes may differ by this: a completed state stays recorded for longer. */
const MAX_CLOCK_SKEW_MS = 60 * 1000

/** Encrypts a state for a cookie. It is valid for ten minutes. */
export function sealSignInState(
  { storage, signInEncryptor }: StateDeps,
  kind: SignInStateKind,
  { user_id, payload }: SignInState,
): string {
  const content = [storage.clock.now() + STATE_TTL_MS, user_id, payload]
  return signInEncryptor.encrypt(JSON.stringify(content), kind)
}

/**
 * Returns the state of a cookie; undefined if it has expired or was not made by `sealSignInState`
 * for this kind. It may have been completed before: `completeSignInState` finds that out.
 */
export function openSignInState(
  { storage, signInEncryptor }: StateDeps,
  kind: SignInStateKind,
  sealed: string | undefined,
): OpenedSignInState | undefined {
  const content = decryptCookie(signInEncryptor, kind, sealed)
  if (content === undefined) return undefined
  const [expiresAtMs, user_id, payload] = JSON.parse(content) as [number, string | null, string]
  if (expiresAtMs <= storage.clock.now()) return undefined
  // Not of the cookie: base64 writes the same bytes in several ways, and each would count as new.
  return { user_id, payload, expiresAtMs, hash: hash('sha256', content) }
}

function decryptCookie(
  encryptor: StateDeps['signInEncryptor'],
  kind: SignInStateKind,
  sealed: string | undefined,
): string | undefined {
  if (sealed === undefined) return undefined
  try {
    return encryptor.decrypt(sealed, kind)
  } catch {
    // Cut off, changed, of another kind or of another installation: the sign-in starts again.
    return undefined
  }
}

/**
 * Records that a state was completed. Returns false if it was completed before: of two requests
 * with the same state, in any process, only one completes it.
 */
export async function completeSignInState(
  tx: WriteTx,
  { hash, expiresAtMs }: OpenedSignInState,
): Promise<boolean> {
  const expires_at = timestampOf(expiresAtMs + MAX_CLOCK_SKEW_MS)
  const row = { hash, kind: 'completed', user_id: null, payload: '', expires_at } as const
  return (await tx.run(insertCompletedState, row)) === 1
}

const insertCompletedState = unscopedCommand((db, $: SignInStepRow) =>
  db
    .insertInto('sign_in_steps')
    .values(pickSlots($, 'hash', 'kind', 'user_id', 'payload', 'expires_at'))
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)

export type SignInStepKind = Exclude<SignInStepRow['kind'], 'completed'>

/**
 * The state of an unfinished sign-in. Only the browser, or the receiver of the link, has the token
 * for it.
 */
interface SignInStep {
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
