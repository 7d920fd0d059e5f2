import { door } from '#core/door.ts'
import { linkedBy } from '#identity/company-links.ts'
import { passkeysOf } from '#identity/passkeys.ts'
import { secondFactorOf } from '#identity/second-factor.ts'
import * as contract from './internal.ts'
import { personById } from './store.ts'

/** How the person who asks can sign in. */
export const getSignInMeans = door(contract.getSignInMeans, async ({ storage }, { actor }) => {
  const user_id = actor.user_id ?? ''
  const reply = await storage.read(actor, async (tx) => {
    const person = await tx.one(personById, { id: user_id })
    return {
      has_password: (person?.password_hash ?? null) !== null,
      company: await linkedBy(tx, user_id),
      passkeys: (await passkeysOf(tx, user_id)).map(({ credential: _, ...passkey }) => passkey),
      second_factor: await secondFactorOf(tx, user_id),
    }
  })
  return { reply }
})
