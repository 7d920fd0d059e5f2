import { consumeSignInStep, findSignInStep } from '#auth/sign-in/sign-in-steps.ts'
import { createWorkspace, DEFAULT_PLAN } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR, createUserActor, viewerId } from '#core/actor.ts'
import { ApiError, conflict } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { hashToEnding, newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import { workspacesOfUser } from '#resources/sessions/store.ts'
import { createAnotherWorkspace } from '../contract.ts'
import * as contract from '../internal.ts'
import { signInExpired } from '../second-factor/verify-second-factor.ts'
import {
  expireStepCookie,
  type PendingSignInPayload,
  readStepCookie,
  startSession,
  toSignInReply,
} from '../sign-in/start-session.ts'
import { lockedPersonById } from '../store.ts'
import { signupDisabled } from './sign-up.ts'

const STEP_KIND = 'no_workspace'
const MAX_OWNED_WORKSPACES = 50

/** Creates a workspace for a user who has none, and continues the sign-in there. */
export const createFirstWorkspaceAction = sessionAction(
  contract.createFirstWorkspace,
  async (deps, context) => {
    const { storage, baseUrl } = deps
    const value = readStepCookie(baseUrl, STEP_KIND, context.cookie)
    const step = await storage.read(ANONYMOUS_ACTOR, (tx) => findSignInStep(tx, STEP_KIND, value))
    if (!step?.user_id) throw signInExpired()
    const { user_id } = step
    const { by, twice }: PendingSignInPayload = JSON.parse(step.payload)
    const workspace_id = newId('wsp', storage.clock.now())
    const outcome = await storage.write(createUserActor(user_id, workspace_id), async (tx) => {
      const person = await tx.one(lockedPersonById, { id: user_id })
      if (!person || !(await consumeSignInStep(tx, STEP_KIND, value))) throw signInExpired()
      const { name, timezone } = context.body
      await createWorkspace(tx, { name, plan: DEFAULT_PLAN, timezone })
      await createMembership(tx, { user_id, name: person.name, role: 'owner' })
      return startSession(tx, deps, context, {
        id: user_id,
        workspace_id,
        by,
        ...(twice && { twice }),
        isContinued: true,
      })
    })
    const result = await toSignInReply(deps, outcome)
    return { ...result, cookies: [...result.cookies, expireStepCookie(baseUrl, STEP_KIND)] }
  },
  {
    async authorize({ signup, ssoProvider }) {
      if (signup !== 'open' || ssoProvider?.isOnlySignIn) throw signupDisabled()
    },
  },
)

/** Creates another workspace for somebody who is signed in. */
export const createAnotherWorkspaceAction = sessionAction(
  createAnotherWorkspace,
  async ({ storage }, { actor, idempotencyKey, body: { name, timezone } }) => {
    const user_id = viewerId(actor)
    // A repeated request finds by its ending the workspace that the first one has created.
    const ending = idempotencyKey && hashToEnding(JSON.stringify([idempotencyKey, name, timezone]))
    const id = newId('wsp', storage.clock.now(), ending)
    return storage.write(createUserActor(user_id, id), async (tx) => {
      const person = await tx.one(lockedPersonById, { id: user_id })
      if (!person) throw signInExpired()
      const workspaces = await tx.all(workspacesOfUser, { user_id })
      const owned = workspaces.filter(({ role }) => role === 'owner')
      const existing = owned.find((workspace) => ending && workspace.id.endsWith(ending))
      if (existing) return { reply: { id: existing.id } }
      if (owned.length >= MAX_OWNED_WORKSPACES) {
        throw conflict(
          'limit_reached',
          `You can own at most ${MAX_OWNED_WORKSPACES} workspaces. Deleted ones count until they are erased.`,
        )
      }
      await createWorkspace(tx, { name, plan: DEFAULT_PLAN, timezone })
      await createMembership(tx, { user_id, name: person.name, role: 'owner' })
      return { reply: { id }, operation_id: tx.operation_id }
    })
  },
  {
    // An installation by invitation trusts its owners; other people could evade its quotas.
    async authorize({ signup }, { actor }) {
      if (signup !== 'open' && actor.role !== 'owner')
        throw new ApiError(403, 'signup_disabled', 'Only owners can create another workspace here.')
    },
  },
)

/** Cancels the unfinished sign-in, so that the next person at this browser cannot continue it. */
export const cancelPendingSignInAction = sessionAction(
  contract.cancelPendingSignIn,
  async ({ storage, baseUrl }, { cookie }) => {
    const value = readStepCookie(baseUrl, STEP_KIND, cookie)
    if (value !== undefined)
      await storage.write(ANONYMOUS_ACTOR, (tx) => consumeSignInStep(tx, STEP_KIND, value))
    return { reply: undefined, cookies: [expireStepCookie(baseUrl, STEP_KIND)] }
  },
)
