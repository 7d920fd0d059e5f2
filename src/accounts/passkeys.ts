import { randomBytes } from 'node:crypto'
import { NOBODY, personally } from '#core/actor.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import { conflict, invalid, notFound, Refusal } from '#core/refusal.ts'
import { attempt, ofAddress } from '#identity/attempts.ts'
import { isDemandedOf, secondFactorMissing } from '#identity/demand.ts'
import { advanceGeneration } from '#identity/generation.ts'
import {
  addPasskey,
  countPasskey,
  findPasskey,
  MOST_PASSKEYS,
  passkeysOf,
  removePasskey,
} from '#identity/passkeys.ts'
import { beginStep, takeStep } from '#identity/steps.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fault } from '#wire/fault.ts'
import { confirmed, refuseUnshown } from './confirm.ts'
import { stepCleared, stepIn, stepSet } from './cookies.ts'
import { type Entered, enter, type Held, welcome } from './enter.ts'
import * as contract from './internal.ts'
import { refuseOtherWays } from './only.ts'
import { noteShown, signInOver } from './second-factor.ts'
import { ALGORITHMS, judgeMade, judgeShown, siteOf } from './webauthn.ts'

const LASTS_MS = 10 * 60 * 1000

/** A challenge for this browser alone; of nobody yet, or for a person's new passkey. */
async function challenged(means: Means, user_id: string | null) {
  const site = siteOf(means)
  if (site === undefined) throw notFound()
  const challenge = randomBytes(32).toString('base64url')
  const step = { kind: 'passkey', user_id, payload: challenge, lastsMs: LASTS_MS } as const
  const value = await means.storage.write(NOBODY, (tx) => beginStep(tx, step))
  return {
    told: { challenge, site },
    cookies: [stepSet(means.baseUrl, 'passkey', value)],
  }
}

/** What the answer is held against: the challenge is used up, whatever the answer is. */
async function expected(
  means: Means,
  { cookie }: Pick<Visit<Endpoint>, 'cookie'>,
  user_id: string | null,
) {
  const { storage, baseUrl: origin } = means
  const value = stepIn(origin, 'passkey', cookie)
  const step = await storage.write(NOBODY, (tx) => takeStep(tx, 'passkey', value))
  const site = siteOf(means)
  if (!step || step.user_id !== user_id || site === undefined) throw signInOver()
  return { challenge: step.payload, origin, site }
}

export const beginPasskeySignIn = door(contract.beginPasskeySignIn, async (means) => {
  refuseOtherWays(means)
  const { told, cookies } = await challenged(means, null)
  return { reply: told, cookies }
})

/** A passkey asks for a finger or a PIN itself: no other factor is asked for. */
export const signInByPasskey = door(contract.signInByPasskey, async (means, visit) => {
  refuseOtherWays(means)
  const { body, address } = visit
  const { storage, baseUrl } = means
  const expects = await expected(means, visit, null)
  let entered: Entered | Held | undefined
  await attempt(storage, [ofAddress(address)], async () => {
    const found = await storage.read(NOBODY, (tx) => findPasskey(tx, body.id))
    const counter = found && (await judgeShown(body, found.public_key, expects))
    if (!found || counter === undefined) return false
    const { id, user_id, last_workspace_id } = found
    entered = await storage.write(personally(user_id), async (tx) => {
      // It may have been removed meanwhile.
      if (!(await findPasskey(tx, body.id))) return undefined
      if (!(await countPasskey(tx, { id, user_id, counter }))) return undefined
      const { workspace_id } = body
      return enter(tx, means, visit, {
        id: user_id,
        workspace_id,
        last_workspace_id,
        by: 'passkey',
      })
    })
    return entered !== undefined
  })
  if (!entered) throw unknownPasskey()
  const opened = await welcome(means, visit, entered)
  return { ...opened, cookies: [...opened.cookies, stepCleared(baseUrl, 'passkey')] }
})

export const beginPasskey = door(contract.beginPasskey, async (means, visit) => {
  refuseOtherWays(means)
  const person = await confirmed(means, visit, visit.body.current_password)
  await refuseUnshown(means, visit)
  const { told, cookies } = await challenged(means, person.id)
  const known = await means.storage.read(NOBODY, (tx) => passkeysOf(tx, person.id))
  const user = { id: Buffer.from(person.id).toString('base64url'), name: person.email }
  const reply = {
    ...told,
    user,
    algorithms: [...ALGORITHMS],
    known: known.map(({ credential }) => credential),
  }
  return { reply, cookies }
})

export const createPasskey = door(contract.createPasskey, async (means, visit) => {
  refuseOtherWays(means)
  const { body, actor } = visit
  const user_id = actor.user_id ?? ''
  const made = await judgeMade(body, await expected(means, visit, user_id))
  if (!made) throw invalid(fault('attestation', 'invalid_value', 'is no passkey made for this'))
  const { name } = body
  const transports = JSON.stringify(body.transports)
  const { passkey, operation_id } = await means.storage.write(personally(user_id), async (tx) => {
    if ((await passkeysOf(tx, user_id)).length >= MOST_PASSKEYS) {
      throw conflict('limit_reached', `A person has up to ${MOST_PASSKEYS} passkeys.`)
    }
    const passkey = await addPasskey(tx, { user_id, name, transports, ...made })
    if (passkey) await noteShown(tx, actor)
    return { passkey, operation_id: tx.operation_id }
  })
  if (!passkey) throw invalid(fault('id', 'invalid_value', 'is known already'))
  return { reply: passkey, operation_id, cookies: [stepCleared(means.baseUrl, 'passkey')] }
})

export const deletePasskey = door(
  contract.deletePasskey,
  async ({ storage }, { actor, params }) => {
    const user_id = actor.user_id ?? ''
    const operation_id = await storage.write(personally(user_id), async (tx) => {
      // Whoever has the password alone could make a second factor of their own in its place.
      if (!actor.is_proven_twice && (await isDemandedOf(tx, user_id))) throw secondFactorMissing()
      if (!(await removePasskey(tx, user_id, params.id))) throw notFound()
      await advanceGeneration(tx)
      return tx.operation_id
    })
    return { reply: undefined, operation_id }
  },
)

/** The same for one that nobody has, and for one that proves nothing. */
const unknownPasskey = () =>
  new Refusal(401, 'invalid_credentials', 'This passkey opens no account here.')
