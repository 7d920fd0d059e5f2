import { limitByAddress, withAttemptLimits } from '#auth/sign-in/attempt-limits.ts'
import { consumeSignInStep, findSignInStep } from '#auth/sign-in/sign-in-steps.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import * as contract from '../internal.ts'
import { lockedPersonById } from '../store.ts'
import { startSession, toSignInReply } from './start-session.ts'

/**
 * Signs in with a link that an operator has created. It replaces the password or the SSO sign-in.
 */
export const signInWithLinkAction = sessionAction(
  contract.signInWithLink,
  async (deps, context) => {
    const { storage } = deps
    const { token } = context.body
    let id = ''
    await withAttemptLimits(storage, [limitByAddress(context.address)], async () => {
      id =
        (await storage.read(ANONYMOUS_ACTOR, (tx) => findSignInStep(tx, 'link', token)))?.user_id ??
        ''
      return id !== ''
    })
    if (id === '') throw notFound()
    const outcome = await storage.write(createUserActor(id), async (tx) => {
      const person = await tx.one(lockedPersonById, { id })
      const step = await consumeSignInStep(tx, 'link', token)
      if (!step || !person) throw notFound()
      const { last_workspace_id } = person
      return startSession(tx, deps, context, { id, last_workspace_id, by: 'link' })
    })
    return toSignInReply(deps, outcome)
  },
)
