import {
  recordConsentDecision as decided,
  hasConsentCookie,
  loadPendingInteraction,
  type PendingInteraction,
} from '#auth/oauth/interactions.ts'
import { isSecondFactorRequired, secondFactorMissing } from '#auth/second-factor/second-factor.ts'
import { assertSessionActive, assertSessionConfirmed } from '#auth/sessions/session-confirmation.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ApiError, notFound, validationFailed } from '#core/api-error.ts'
import {
  type ActionContext,
  type ActionDeps,
  type SessionAction,
  sessionAction,
} from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { fieldError } from '#wire/field-error.ts'
import { SCOPE_DESCRIPTIONS } from '#wire/scopes.ts'
import { decideInteraction, getInteraction, type Interaction } from './contract.ts'

const getInteractionAction = sessionAction(getInteraction, async (deps, context) => ({
  reply: await deps.storage.write(ANONYMOUS_ACTOR, async (tx) =>
    toInteractionJson(deps, await loadOwnInteraction(tx, deps, context)),
  ),
}))

const decideInteractionAction = sessionAction(decideInteraction, async (deps, context) => {
  const { decision, workspace_id, supervision } = context.body
  if (decision === 'allow') {
    // A request that has ended must not ask for the password.
    await deps.storage.write(ANONYMOUS_ACTOR, (tx) => loadOwnInteraction(tx, deps, context))
    await assertSessionConfirmed(deps.storage, context.actor)
  }
  // The write runs in that workspace and so never overlaps with the end of a membership there: a
  // removed member cannot allow anything afterwards.
  const { user_id, credential_id } = context.actor
  const allowedWorkspaceId = decision === 'allow' ? workspace_id : undefined
  const actor = { ...createUserActor(user_id, allowedWorkspaceId), credential_id }
  const redirect_to = await deps.storage.write(actor, async (tx) => {
    await assertSessionActive(tx, context.actor)
    const pending = await loadOwnInteraction(tx, deps, context)
    if (decision === 'allow') assertWorkspaceAllowed(pending, workspace_id)
    // The current workspace of the session may differ from the one that the application gets access
    // to.
    const needsSecondFactor =
      allowedWorkspaceId !== undefined && (await isSecondFactorRequired(tx, allowedWorkspaceId))
    if (needsSecondFactor && !context.actor.has_passed_second_factor) throw secondFactorMissing()
    const next = await decided(tx, pending, {
      user_id,
      workspace_id: allowedWorkspaceId,
      supervision,
    })
    if (next !== undefined && allowedWorkspaceId !== undefined)
      await notifyOfSecurityChange(tx, user_id, 'application_authorized')
    return next
  })
  if (redirect_to === undefined) throw notFound()
  return { reply: { redirect_to } }
})

/** Loads the request if it began in this browser and this session; otherwise throws 404. */
async function loadOwnInteraction(
  tx: WriteTx,
  { baseUrl }: ActionDeps,
  {
    params: { uid },
    cookie,
    actor,
  }: ActionContext<typeof getInteraction | typeof decideInteraction>,
): Promise<PendingInteraction> {
  if (!hasConsentCookie(baseUrl, uid, cookie)) throw notFound()
  const owner = { session_id: actor.credential_id ?? '', user_id: actor.user_id }
  const pending = await loadPendingInteraction(tx, uid, owner)
  if (!pending) throw notFound()
  if (pending.forces_sign_in) {
    const session = await tx.one(sessionCreatedAt, { id: owner.session_id })
    if (!session || Date.parse(session.created_at) < pending.begun_at) {
      const message = 'The application asks you to sign in again.'
      throw new ApiError(401, 'authentication_required', message)
    }
  }
  return pending
}

function assertWorkspaceAllowed(
  { workspaces }: PendingInteraction,
  workspace_id: string | undefined,
): void {
  if (workspace_id === undefined) {
    throw validationFailed(
      fieldError('workspace_id', 'required', 'is required to authorize the application'),
    )
  }
  if (workspaces.some(({ id }) => id === workspace_id)) return
  const message = 'must be one of your workspaces in which the application may be used'
  throw validationFailed(fieldError('workspace_id', 'invalid_value', message))
}

function toInteractionJson({ baseUrl }: ActionDeps, pending: PendingInteraction): Interaction {
  const { application, scopes, workspaces, redirect_uri, params } = pending
  const restartParams = new URLSearchParams({ ...params, prompt: 'login' })
  return {
    application,
    workspaces,
    redirect_uri,
    scopes: scopes.map((name) => ({ name, description: SCOPE_DESCRIPTIONS[name] })),
    again_url: `${baseUrl}/oauth/authorize?${restartParams}`,
  }
}

const sessionCreatedAt = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('sessions').select('created_at').where('id', '=', $.id),
)

/** The actions of the page on which a user gives an application access (docs/spec/api.md#keys-applications-consent). */
export const consentActions: readonly SessionAction[] = [
  getInteractionAction,
  decideInteractionAction,
]
