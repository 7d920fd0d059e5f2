import { NOBODY } from '#core/actor.ts'
import type { Means, Visit } from '#core/door.ts'
import { invalid, Refusal } from '#core/refusal.ts'
import { unauthenticated } from '#identity/authenticate.ts'
import { passkeysOf } from '#identity/passkeys.ts'
import { hasSecondFactor } from '#identity/second-factor.ts'
import { sessionById } from '#resources/sessions/store.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fault } from '#wire/fault.ts'
import { personOf } from './second-factor.ts'
import { type Known, proven } from './sign-in.ts'

const YOUNG_MS = 15 * 60 * 1000

/** Of a visit to a door for sessions what is looked at. */
type Asking = Pick<Visit<Endpoint>, 'cookie' | 'address'> & { actor: Visit<Endpoint>['actor'] }

/**
 * The person who asks, shown to be at the keyboard: by the password where there is one, else by having
 * signed in within a quarter of an hour. By how one signs in changes only so. 401 without a session, 422, 403
 * `sign_in_again`.
 */
export async function confirmed(
  means: Means,
  visit: Asking,
  current_password: string | undefined,
): Promise<Known> {
  const { user_id, credential_id } = visit.actor ?? {}
  if (!user_id || !credential_id) throw unauthenticated('ended')
  const person = await personOf(means, user_id)
  if (person.password_hash === null || means.company?.only) {
    const session = await means.storage.read(NOBODY, (tx) =>
      tx.one(sessionById, { id: credential_id, user_id }),
    )
    const age = means.storage.clock.now() - Date.parse(session?.created_at ?? '1970-01-01')
    if (age > YOUNG_MS) throw signInAgain()
    return person
  }
  if (current_password === undefined) {
    throw invalid(fault('current_password', 'required', 'is required for this'))
  }
  const isRight = await proven(means, visit, person.email, person, current_password)
  if (!isRight) throw wrongCurrent()
  return person
}

/**
 * Refuses (403 `sign_in_again`) what would make another second factor, where one is there and this session has
 * not shown it: a session from before, and the password, would be a way around it.
 */
export async function refuseUnshown({ storage }: Means, { actor }: Asking): Promise<void> {
  if (actor?.is_proven_twice) return
  const user_id = actor?.user_id ?? ''
  const isThere = await storage.read(NOBODY, async (tx) => {
    return (await hasSecondFactor(tx, user_id)) || (await passkeysOf(tx, user_id)).length > 0
  })
  if (isThere) throw signInWithIt()
}

export const wrongCurrent = () =>
  invalid(fault('current_password', 'invalid_value', 'is not your present password'))

const signInAgain = () =>
  new Refusal(403, 'sign_in_again', 'You signed in a while ago: sign in again to change this.')

const signInWithIt = () =>
  new Refusal(
    403,
    'sign_in_again',
    'Sign in again with your second factor or passkey to change this.',
  )
