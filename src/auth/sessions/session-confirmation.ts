import { ANONYMOUS_ACTOR, type UserActor } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { unscopedCommand, unscopedQuery } from '#db/core/statement.ts'
import { unauthenticated } from '../authenticator.ts'
import { listPasskeys } from '../passkeys/passkeys.ts'
import { hasSecondFactor } from '../second-factor/second-factor.ts'
import { sessionById } from './sessions.ts'

/** How long a sign-in or a confirmation suffices for what outlives the session. */
export const CONFIRMATION_TTL_MS = 15 * 60 * 1000

/**
 * Throws 403 `sign_in_again` if what outlives a session may not be made with it: its user has not
 * proved lately who they are, or has a second factor that it has not shown. Somebody with only the
 * password could otherwise make an API key that remains when the password is another. API keys and
 * applications are credentials of their own and always pass.
 */
export async function assertSessionConfirmed(
  storage: Pick<Storage, 'read' | 'clock'>,
  actor: UserActor,
): Promise<void> {
  if (actor.type !== 'user') return
  const { user_id, credential_id } = actor
  await storage.read(ANONYMOUS_ACTOR, async (tx) => {
    if (!actor.has_passed_second_factor) await assertNoSecondFactor(tx, user_id)
    const session = await tx.one(sessionById, { id: credential_id ?? '', user_id })
    const since = session?.confirmed_at ?? session?.created_at ?? '1970-01-01'
    if (storage.clock.now() - Date.parse(since) > CONFIRMATION_TTL_MS) throw signInAgain()
  })
}

/** Throws 403 `sign_in_again` if the user has a second factor, which a session has not shown. */
export async function assertNoSecondFactor(tx: ReadTx, user_id: string): Promise<void> {
  const hasFactor =
    (await hasSecondFactor(tx, user_id)) || (await listPasskeys(tx, user_id)).length > 0
  if (hasFactor)
    throw new ApiError(
      403,
      'sign_in_again',
      'Sign in again with your second factor or passkey to do this.',
    )
}

/** Records that the user of a session has just entered the password. */
export async function recordSessionConfirmation(tx: WriteTx, id: string): Promise<void> {
  await tx.run(updateConfirmation, { id, confirmed_at: tx.now })
}

/**
 * Throws 401 if the session has ended since the request was checked, as a new password ends all
 * others. A write that grants lasting access begins with it: meanwhile all access may have been
 * revoked, and an API key or a passkey created afterwards would remain.
 */
export async function assertSessionActive(
  tx: WriteTx,
  { user_id, credential_id }: Pick<UserActor, 'user_id' | 'credential_id'>,
): Promise<void> {
  await tx.one(lockedAccount, { id: user_id })
  const session = await tx.one(sessionById, { id: credential_id ?? '', user_id })
  if (!session) throw unauthenticated('ended')
}

export const signInAgain = () =>
  new ApiError(
    403,
    'sign_in_again',
    'You signed in too long ago. Confirm your password, or sign in again to do this.',
  )

const updateConfirmation = unscopedCommand((db, $: { id: string; confirmed_at: string }) =>
  db.updateTable('sessions').set({ confirmed_at: $.confirmed_at }).where('id', '=', $.id),
)

/** Whatever ends the sessions of an account locks its row, too. */
const lockedAccount = unscopedQuery((db, $: { id: string }, { engine }) => {
  const select = db.selectFrom('users').select('id').where('id', '=', $.id)
  return engine === 'postgres' ? select.forNoKeyUpdate() : select
})
