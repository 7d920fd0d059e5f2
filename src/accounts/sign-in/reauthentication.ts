import { unauthenticated } from '#auth/authenticator.ts'
import { listPasskeys } from '#auth/passkeys/passkeys.ts'
import { hasSecondFactor } from '#auth/second-factor/second-factor.ts'
import { ANONYMOUS_ACTOR, type UserActor } from '#core/actor.ts'
import { ApiError, validationFailed } from '#core/api-error.ts'
import type { ActionContext, ActionDeps } from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import { sessionById } from '#resources/sessions/store.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import { loadPerson } from '../second-factor/verify-second-factor.ts'
import { lockedPersonById } from '../store.ts'
import { type SignInAccount, verifyAccountPassword } from './sign-in.ts'

const MAX_SESSION_AGE_MS = 15 * 60 * 1000

type ReauthenticationContext = Pick<ActionContext<Endpoint>, 'cookie' | 'address'> & {
  actor: ActionContext<Endpoint>['actor']
}

/**
 * Requires that the user is present, before sign-in methods are changed: by the password if the
 * account has one, otherwise by a sign-in within the last 15 minutes. With `acceptsRecentSignIn`,
 * such a sign-in suffices for accounts with a password, too. Throws 401 without a session, 422 for a
 * missing or wrong password, 403 `sign_in_again` for an older session.
 */
export async function reauthenticate(
  deps: ActionDeps,
  context: ReauthenticationContext,
  current_password: string | undefined,
  { acceptsRecentSignIn = false } = {},
): Promise<SignInAccount> {
  const { user_id, credential_id } = context.actor ?? {}
  if (!user_id || !credential_id) throw unauthenticated('ended')
  const person = await loadPerson(deps, user_id)
  const hasPassword = person.password_hash !== null && !deps.ssoProvider?.isOnlySignIn
  if (!hasPassword || (acceptsRecentSignIn && current_password === undefined)) {
    const session = await deps.storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.one(sessionById, { id: credential_id, user_id }),
    )
    const age = deps.storage.clock.now() - Date.parse(session?.created_at ?? '1970-01-01')
    if (age <= MAX_SESSION_AGE_MS) return person
    if (!hasPassword) throw signInAgain()
  }
  if (current_password === undefined) {
    throw validationFailed(
      fieldError('current_password', 'required', 'is required for this change'),
    )
  }
  const isRight = await verifyAccountPassword(deps, context, person.email, person, current_password)
  if (!isRight) throw wrongCurrentPassword()
  return person
}

/**
 * Requires a recent sign-in or the password, and the second factor if the user has one, before
 * something gets access that outlives the session and the next change of the password: an API key,
 * an application, another owner. A session that was left open must not suffice.
 */
export async function reauthenticateForAccess(
  deps: ActionDeps,
  context: ReauthenticationContext,
  current_password: string | undefined,
): Promise<void> {
  await reauthenticate(deps, context, current_password, { acceptsRecentSignIn: true })
  await assertSecondFactorShown(deps, context)
}

/**
 * Throws 403 `sign_in_again` if the user has a second factor that this session has not shown.
 * Otherwise an older session and the password would suffice to add another second factor or to
 * remove the first, and an API key made so would outlive the next change of the password.
 */
export async function assertSecondFactorShown(
  { storage }: ActionDeps,
  { actor }: ReauthenticationContext,
): Promise<void> {
  if (actor?.has_passed_second_factor) return
  const user_id = actor?.user_id ?? ''
  const hasFactor = await storage.read(ANONYMOUS_ACTOR, async (tx) => {
    return (await hasSecondFactor(tx, user_id)) || (await listPasskeys(tx, user_id)).length > 0
  })
  if (hasFactor) throw signInWithSecondFactor()
}

/**
 * Throws 401 if the session has ended since the request was checked, as a new password ends all
 * others. A write that the user has confirmed begins with it: while the password was verified, all
 * access may have been revoked, and an API key or a passkey created afterwards would remain.
 */
export async function assertSessionActive(
  tx: WriteTx,
  { user_id, credential_id }: Pick<UserActor, 'user_id' | 'credential_id'>,
): Promise<void> {
  await tx.one(lockedPersonById, { id: user_id })
  const session = await tx.one(sessionById, { id: credential_id ?? '', user_id })
  if (!session) throw unauthenticated('ended')
}

export const wrongCurrentPassword = () =>
  validationFailed(fieldError('current_password', 'invalid_value', 'is not your current password'))

const signInAgain = () =>
  new ApiError(403, 'sign_in_again', 'You signed in too long ago. Sign in again to change this.')

const signInWithSecondFactor = () =>
  new ApiError(
    403,
    'sign_in_again',
    'Sign in again with your second factor or passkey to change this.',
  )
