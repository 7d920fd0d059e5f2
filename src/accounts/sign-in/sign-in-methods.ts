import { listPasskeys } from '#auth/passkeys/passkeys.ts'
import { loadSecondFactorStatus } from '#auth/second-factor/second-factor.ts'
import { findSsoLinkOfUser } from '#auth/sso-links/sso-links.ts'
import { loadEmailStatus } from '#auth/users/email-confirmation.ts'
import { sessionAction } from '#core/session-action.ts'
import * as contract from '../internal.ts'
import { personById } from '../store.ts'

/** Lists the sign-in methods of the current user. */
export const getSignInMethodsAction = sessionAction(
  contract.getSignInMethods,
  async ({ storage }, { actor }) => {
    const user_id = actor.user_id
    const reply = await storage.read(actor, async (tx) => {
      const person = await tx.one(personById, { id: user_id })
      return {
        has_password: (person?.password_hash ?? null) !== null,
        email: await loadEmailStatus(tx, user_id),
        company: await findSsoLinkOfUser(tx, user_id),
        passkeys: (await listPasskeys(tx, user_id)).map(({ credential: _, ...passkey }) => passkey),
        second_factor: await loadSecondFactorStatus(tx, user_id),
      }
    })
    return { reply }
  },
)
