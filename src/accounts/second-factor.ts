import { type Actor, NOBODY, personally } from '#core/actor.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import { Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { attempt, ofAddress, ofSecondFactor, type Subject } from '#identity/attempts.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { hasSecondFactor, useCode } from '#identity/second-factor.ts'
import { noteSecondFactor } from '#identity/sessions.ts'
import { findStep, takeStep } from '#identity/steps.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { deviceIn, stepCleared, stepIn } from './cookies.ts'
import {
  type Entered,
  enter,
  type Held,
  type Kept,
  secondFactorRequired,
  welcome,
} from './enter.ts'
import * as contract from './internal.ts'
import { noteFailure } from './sign-in.ts'
import { personById } from './store.ts'

/** Goes on with a sign-in that was held: the cookie says which, and a code is right once. */
export const giveSecondFactor = door(contract.giveSecondFactor, async (means, visit) => {
  const { storage, baseUrl } = means
  const value = stepIn(baseUrl, 'second_factor', visit.cookie)
  const step = await storage.read(NOBODY, (tx) => findStep(tx, 'second_factor', value))
  if (!step?.user_id) throw signInOver()
  const { user_id } = step
  const { by, workspace_id } = JSON.parse(step.payload) as Kept
  let entered: Entered | Held | undefined
  await guarded(means, visit, user_id, async () => {
    entered = await storage.write(personally(user_id), async (tx) => {
      if (!(await useCode(tx, user_id, visit.body.code))) return undefined
      if (!(await takeStep(tx, 'second_factor', value))) throw signInOver()
      return enter(tx, means, visit, { id: user_id, workspace_id, by, twice: true })
    })
    return entered !== undefined
  })
  if (!entered) throw wrongCode()
  const opened = await welcome(means, visit, entered)
  return { ...opened, cookies: [...opened.cookies, stepCleared(baseUrl, 'second_factor')] }
})

/**
 * Whether the code that was sent beside a password is one of the person's. False where the person has
 * no second factor; 401 where one is missing, or wrong.
 */
export async function shownBeside(
  means: Means,
  visit: Coming,
  user_id: string,
  code: string | undefined,
): Promise<boolean> {
  const { storage } = means
  if (!(await storage.read(NOBODY, (tx) => hasSecondFactor(tx, user_id)))) return false
  if (code === undefined) throw secondFactorRequired()
  await showCode(means, visit, user_id, code)
  return true
}

/** Uses up a code of the person; 401 where it is wrong. */
export async function showCode(
  means: Means,
  visit: Coming,
  user_id: string,
  code: string,
): Promise<void> {
  const isRight = await guarded(means, visit, user_id, () =>
    means.storage.write(
      personally(user_id),
      async (tx) => (await useCode(tx, user_id, code)) !== undefined,
    ),
  )
  if (!isRight) throw wrongCode()
}

type Coming = Pick<Visit<Endpoint>, 'cookie' | 'address'>

/** Lets codes be tried as passwords are, with counts of their own; failures are in the audit log. */
async function guarded(
  { storage, deviceKey }: Means,
  { cookie, address }: Coming,
  user_id: string,
  judge: () => Promise<boolean>,
): Promise<boolean> {
  const device = deviceIn(deviceKey, cookie, user_id)
  const subjects: Subject[] = device
    ? [ofSecondFactor(device)]
    : [ofSecondFactor(user_id), ofAddress(address)]
  const isRight = await attempt(storage, subjects, judge)
  if (!isRight) await storage.write(NOBODY, (tx) => noteFailure(tx, user_id))
  return isRight
}

/** The session that asks has shown a second factor from now on: the one that was just made in it. */
export async function noteShown(
  tx: WriteTx,
  { credential_id, user_id }: Pick<Actor, 'credential_id' | 'user_id'>,
): Promise<void> {
  await tx.run(noteSecondFactor, { id: credential_id ?? '', user_id: user_id ?? '' })
  await advanceGeneration(tx)
}

/** The person who asks, as far as the account is concerned. */
export const personOf = ({ storage }: Pick<Means, 'storage'>, id: string) =>
  storage.read(NOBODY, async (tx) => {
    const person = await tx.one(personById, { id })
    if (!person) throw new Error('There is no account of the person who asks')
    return person
  })

export const signInOver = () =>
  new Refusal(401, 'sign_in_over', 'This sign-in took too long, or is done: begin it anew.')

export const wrongCode = () =>
  new Refusal(401, 'invalid_credentials', 'This code is not right, or was used before.')
