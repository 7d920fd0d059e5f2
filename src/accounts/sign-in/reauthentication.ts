import { unauthenticated } from '#auth/authenticator.ts'
import {
  assertNoSecondFactor,
  assertSessionActive,
  CONFIRMATION_TTL_MS,
  recordSessionConfirmation,
  signInAgain,
} from '#auth/sessions/session-confirmation.ts'
import { sessionById } from '#auth/sessions/sessions.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { validationFailed } from '#core/api-error.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../internal.ts'
import { loadPerson } from '../second-factor/verify-second-factor.ts'
import { type SignInAccount, verifyAccountPassword } from './sign-in.ts'

type ReauthenticationContext = Pick<ActionContext<Endpoint>, 'cookie' | 'address'> & {
  actor: ActionContext<Endpoint>['actor']
}

/**
 * Requires that the user is present, before sign-in methods are changed: by the password if the
 * account has one, otherwise by a sign-in within the last 15 minutes. Throws 401 without a session,
 * 422 for a missing or wrong password, 403 `sign_in_again` for an older session.
 */
export async function reauthenticate(
  deps: ActionDeps,
  context: ReauthenticationContext,
  current_password: string | undefined,
): Promise<SignInAccount> {
  const { user_id, credential_id } = context.actor ?? {}
  if (!user_id || !credential_id) throw unauthenticated('ended')
  const person = await loadPerson(deps, user_id)
  if (person.password_hash === null || deps.ssoProvider?.isOnlySignIn) {
    const session = await deps.storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.one(sessionById, { id: credential_id, user_id }),
    )
    const age = deps.storage.clock.now() - Date.parse(session?.created_at ?? '1970-01-01')
    if (age <= CONFIRMATION_TTL_MS) return person
    throw signInAgain()
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
 * Throws 403 `sign_in_again` if the user has a second factor that this session has not shown.
 * Otherwise the password would suffice to add another second factor or to remove the first.
 */
export async function assertSecondFactorShown(
  { storage }: ActionDeps,
  { actor }: ReauthenticationContext,
): Promise<void> {
  if (actor?.has_passed_second_factor) return
  await storage.read(ANONYMOUS_ACTOR, (tx) => assertNoSecondFactor(tx, actor?.user_id ?? ''))
}

/** Lets a session make what outlives it for another 15 minutes (`Endpoint.grantsLastingAccess`). */
export const confirmSessionAction = sessionAction(
  contract.confirmSession,
  async (deps, context) => {
    await reauthenticate(deps, context, context.body.current_password)
    await assertSecondFactorShown(deps, context)
    const { actor } = context
    await deps.storage.write(createUserActor(actor.user_id), async (tx) => {
      await assertSessionActive(tx, actor)
      await recordSessionConfirmation(tx, actor.credential_id ?? '')
    })
    return { reply: undefined }
  },
)

export const wrongCurrentPassword = () =>
  validationFailed(fieldError('current_password', 'invalid_value', 'is not your current password'))
