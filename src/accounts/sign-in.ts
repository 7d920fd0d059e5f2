import { NOBODY, personally } from '#core/actor.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import { notFound, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import {
  attempt,
  counted,
  ofAddress,
  ofDevice,
  ofEmail,
  ofFailuresTold,
  type Subject,
} from '#identity/attempts.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { isPassword } from '#identity/password.ts'
import { workspacesOf } from '#resources/sessions/store.ts'
import { INSTALLATION } from '#wire/audit.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import * as contract from './contract.ts'
import { deviceIn, sessionCleared } from './cookies.ts'
import { enter, showSession, welcome } from './enter.ts'
import { refuseOtherWays } from './only.ts'
import { moveSession, noteWorkspace, personByEmail, personById, removeSession } from './store.ts'

/** An account as far as its person must show to be the one. */
export interface Known {
  id: string
  email: string
  password_hash: string | null
}

export const signIn = door(contract.signIn, async (means, visit) => {
  refuseOtherWays(means)
  const { email, password, workspace_id } = visit.body
  const { storage } = means
  const person = await storage.read(NOBODY, (tx) => tx.one(personByEmail, { email }))
  if (!(await proven(means, visit, email, person, password)) || !person) throw wrongPassword()
  const entered = await storage.write(personally(person.id), async (tx) => {
    const { last_workspace_id } = await unchanged(tx, person)
    return enter(tx, means, visit, {
      ...{ id: person.id, workspace_id, last_workspace_id },
      by: 'password',
    })
  })
  return welcome(means, visit, entered)
})

export const switchWorkspace = door(contract.switchWorkspace, async (means, { actor, body }) => {
  const [user_id, id] = [actor.user_id ?? '', actor.credential_id ?? '']
  const workspace_id = body.workspace_id ?? actor.workspace_id
  const moved = await means.storage.write(actor, async (tx) => {
    const open = await tx.all(workspacesOf, { user_id })
    if (!open.some((one) => one.id === workspace_id)) throw notFound()
    if (workspace_id === actor.workspace_id) return {}
    await tx.run(moveSession, { id, stands_in: workspace_id })
    tx.audit('session.moved', id, { user_id }, workspace_id)
    await tx.run(noteWorkspace, { user_id, stands_in: workspace_id })
    await advanceGeneration(tx)
    return { operation_id: tx.operation_id }
  })
  return { reply: await showSession(means, { id, user_id, workspace_id }), ...moved }
})

export const signOut = door(contract.signOut, async ({ storage, baseUrl }, { actor }) => {
  const [user_id, id] = [actor.user_id ?? '', actor.credential_id ?? '']
  const operation_id = await storage.write(actor, async (tx) => {
    const ended = await tx.run(removeSession, { id })
    if (ended > 0) tx.audit('session.ended', id, { user_id, reason: 'signed_out' })
    await advanceGeneration(tx)
    return tx.operation_id
  })
  return { reply: undefined, cookies: [sessionCleared(baseUrl)], operation_id }
})

/**
 * Whether this is the password of the account; 429 where too many attempts have failed. Without an
 * account it takes the same work to find out that nobody is meant.
 */
export async function proven(
  means: Means,
  visit: Pick<Visit<Endpoint>, 'cookie' | 'address'>,
  email: string,
  person: Known | undefined,
  password: string,
): Promise<boolean> {
  const { storage, log } = means
  const subjects = countedFor(means, visit, email, person)
  const isOurs = () => isPassword(password, person?.password_hash ?? null)
  const isRight = await attempt(storage, subjects, isOurs)
  // Not waited for: how long the reply takes would tell who has an account.
  if (!isRight && person) {
    storage
      .write(NOBODY, (tx) => noteFailure(tx, person.id))
      .catch((err: unknown) => log.error({ err }, 'A failed sign-in is not in the audit log'))
  }
  return isRight
}

/** Some of them tell enough, and nobody can fill the log by failing. */
export async function noteFailure(tx: WriteTx, user_id: string): Promise<void> {
  if ((await counted(tx, ofFailuresTold(user_id))) > 0) return
  tx.audit('session.failed', user_id, {}, INSTALLATION)
}

/** A browser that was let in before has a count of its own, which no stranger can use up. */
export function countedFor(
  { deviceKey }: Means,
  { cookie, address }: Pick<Visit<Endpoint>, 'cookie' | 'address'>,
  email: string,
  person: Pick<Known, 'id'> | undefined,
): Subject[] {
  const device = person && deviceIn(deviceKey, cookie, person.id)
  return device ? [ofDevice(device)] : [ofEmail(email), ofAddress(address)]
}

/** The account as it is now, if its password is still the one that was looked at. */
export async function unchanged(tx: WriteTx, { id, password_hash }: Known) {
  const now = await tx.one(personById, { id })
  if (!now || now.password_hash !== password_hash) throw wrongPassword()
  return now
}

/** One answer for an unknown address and for a wrong password. */
export const wrongPassword = () =>
  new Refusal(401, 'invalid_credentials', 'This e-mail address and password do not go together.')
