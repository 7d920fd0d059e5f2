import { bumpAuthVersion } from '#auth/auth-version.ts'
import { consumeSecondFactorCode, hasSecondFactor } from '#auth/second-factor/second-factor.ts'
import { markSecondFactorShown } from '#auth/sessions/sessions.ts'
import {
  countSecondFactorGuesses,
  limitByAddress,
  limitBySecondFactor,
  withAttemptLimits,
} from '#auth/sign-in/attempt-limits.ts'
import { consumeSignInStep, findSignInStep } from '#auth/sign-in/sign-in-steps.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR, createUserActor, type UserActor } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import * as contract from '../internal.ts'
import { auditFailedSignIn } from '../sign-in/sign-in.ts'
import {
  expireStepCookie,
  findVerifiedDevice,
  type PendingSignIn,
  type PendingSignInPayload,
  readStepCookie,
  type StartedSession,
  secondFactorRequired,
  startSession,
  toSignInReply,
} from '../sign-in/start-session.ts'
import { lockedPersonById, personById } from '../store.ts'

/** Continues the pending sign-in of the cookie with a code. Each code can be used once. */
export const verifySecondFactorAction = sessionAction(
  contract.verifySecondFactor,
  async (deps, context) => {
    const { storage, baseUrl } = deps
    const value = readStepCookie(baseUrl, 'second_factor', context.cookie)
    const step = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      findSignInStep(tx, 'second_factor', value),
    )
    if (!step?.user_id) throw signInExpired()
    const { user_id } = step
    const { by, workspace_id, revokes_access } = JSON.parse(step.payload) as PendingSignInPayload
    let outcome: StartedSession | PendingSignIn | undefined
    await withCodeAttemptLimits(deps, context, user_id, async () => {
      outcome = await storage.write(createUserActor(user_id), async (tx) => {
        await tx.one(lockedPersonById, { id: user_id })
        if (!(await consumeSecondFactorCode(tx, user_id, context.body.code))) return undefined
        if (!(await consumeSignInStep(tx, 'second_factor', value))) throw signInExpired()
        const person = { id: user_id, workspace_id, by, revokes_access }
        return startSession(tx, deps, context, { ...person, twice: true, isContinued: true })
      })
      return outcome !== undefined
    })
    if (!outcome) throw wrongSecondFactorCode()
    const result = await toSignInReply(deps, outcome)
    return { ...result, cookies: [...result.cookies, expireStepCookie(baseUrl, 'second_factor')] }
  },
)

/**
 * Verifies the code that was sent together with a password. Returns false if the user has no second
 * factor. Throws 401 if the code is missing or wrong.
 */
export async function verifyCodeIfEnabled(
  deps: ActionDeps,
  context: CodeAttemptContext,
  user_id: string,
  code: string | undefined,
): Promise<boolean> {
  const { storage } = deps
  if (!(await storage.read(ANONYMOUS_ACTOR, (tx) => hasSecondFactor(tx, user_id)))) return false
  if (code === undefined) throw secondFactorRequired()
  await assertSecondFactorCode(deps, context, user_id, code)
  return true
}

/** Consumes a code of the user; throws 401 if it is wrong. */
async function assertSecondFactorCode(
  deps: ActionDeps,
  context: CodeAttemptContext,
  user_id: string,
  code: string,
): Promise<void> {
  const isCodeRight = await withCodeAttemptLimits(deps, context, user_id, () =>
    deps.storage.write(
      createUserActor(user_id),
      async (tx) => (await consumeSecondFactorCode(tx, user_id, code)) !== undefined,
    ),
  )
  if (!isCodeRight) throw wrongSecondFactorCode()
}

type CodeAttemptContext = Pick<ActionContext<Endpoint>, 'cookie' | 'address'>

/**
 * After so many wrong codes in a row, from one browser or from all, an email tells the user, and again
 * after as many more.
 */
const FAILURES_PER_EMAIL = 10

/**
 * Limits attempts with codes, separately from passwords, and writes failures to the audit log. A
 * browser that has signed in with the second factor before has a count of its own, so that somebody
 * who guesses does not block the user.
 */
async function withCodeAttemptLimits(
  { storage, deviceKey }: ActionDeps,
  context: CodeAttemptContext,
  user_id: string,
  verify: () => Promise<boolean>,
): Promise<boolean> {
  const device = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    findVerifiedDevice(tx, deviceKey, context.cookie, user_id),
  )
  const guesses = [limitBySecondFactor(device ?? user_id), countSecondFactorGuesses(user_id)]
  const limits = device === undefined ? [...guesses, limitByAddress(context.address)] : guesses
  let failures: (number | undefined)[] = []
  const isCodeRight = await withAttemptLimits(storage, limits, (counts) => {
    failures = guesses.map(({ name }) => counts.get(name))
    return verify()
  })
  if (!isCodeRight) {
    await storage.write(ANONYMOUS_ACTOR, async (tx) => {
      await auditFailedSignIn(tx, user_id, context)
      if (failures.some((count) => count !== undefined && count % FAILURES_PER_EMAIL === 0))
        await notifyOfSecurityChange(tx, user_id, 'second_factor_guessed')
    })
  }
  return isCodeRight
}

/**
 * Marks the session as having shown a second factor, because the user has just set one up in it.
 */
export async function recordSecondFactorShown(
  tx: WriteTx,
  { credential_id, user_id }: Pick<UserActor, 'credential_id' | 'user_id'>,
): Promise<void> {
  await tx.run(markSecondFactorShown, { id: credential_id ?? '', user_id })
  await bumpAuthVersion(tx)
}

/** Loads the account of the current user. */
export const loadPerson = ({ storage }: Pick<ActionDeps, 'storage'>, id: string) =>
  storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const person = await tx.one(personById, { id })
    if (!person) throw new Error('There is no account of the person who asks')
    return person
  })

export const signInExpired = () =>
  new ApiError(
    401,
    'sign_in_over',
    'This sign-in took too long or was already completed. Start again.',
  )

export const wrongSecondFactorCode = () =>
  new ApiError(401, 'invalid_credentials', 'This code is wrong or was already used.')
