import { NOBODY, personally } from '#core/actor.ts'
import { door, type Means, type Visit } from '#core/door.ts'
import { invalid, notFound, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { isDemanded, secondFactorMissing } from '#identity/demand.ts'
import { wasAskedHere } from '#identity/oauth/cookie.ts'
import { decide as decided, type Pending, pendingOf } from '#identity/oauth/interactions.ts'
import { fault } from '#wire/fault.ts'
import { SCOPE_WORDS } from '#wire/scopes.ts'
import { decide, getInteraction, type Interaction } from './contract.ts'
import { sessionBegunAt } from './store.ts'

export const look = door(getInteraction, async (means, visit) => ({
  reply: await means.storage.write(NOBODY, async (tx) =>
    shown(means, await asked(tx, means, visit)),
  ),
}))

export const settle = door(decide, async (means, visit) => {
  const { decision, workspace_id } = visit.body
  // One after the other with whatever ends a membership there, so that nothing is allowed after that.
  const { user_id, credential_id } = visit.actor
  const within = decision === 'allow' ? workspace_id : undefined
  const actor = { ...personally(user_id ?? '', within), credential_id }
  const redirect_to = await means.storage.write(actor, async (tx) => {
    const pending = await asked(tx, means, visit)
    if (decision === 'allow') refuseElsewhere(pending, workspace_id)
    // A session may stand in another workspace than the one that is opened to the application.
    const isDemanding = within !== undefined && (await isDemanded(tx, within))
    if (isDemanding && !visit.actor.is_proven_twice) throw secondFactorMissing()
    return decided(tx, pending, {
      user_id: user_id ?? '',
      workspace_id: within,
    })
  })
  if (redirect_to === undefined) throw notFound()
  return { reply: { redirect_to } }
})

/** The request, if it began in this browser and in this session; anybody else's is not there. */
async function asked(
  tx: WriteTx,
  { baseUrl }: Means,
  { params: { uid }, cookie, actor }: Visit<typeof getInteraction | typeof decide>,
): Promise<Pending> {
  if (!wasAskedHere(baseUrl, uid, cookie)) throw notFound()
  const who = { session_id: actor.credential_id ?? '', user_id: actor.user_id ?? '' }
  const pending = await pendingOf(tx, uid, who)
  if (!pending) throw notFound()
  if (pending.forces_sign_in) {
    const session = await tx.one(sessionBegunAt, { id: who.session_id })
    if (!session || Date.parse(session.created_at) < pending.begun_at) {
      const message = 'The application asks you to sign in once more.'
      throw new Refusal(401, 'authentication_required', message)
    }
  }
  return pending
}

function refuseElsewhere({ workspaces }: Pending, workspace_id: string | undefined): void {
  if (workspace_id === undefined) {
    throw invalid(fault('workspace_id', 'required', 'is required to allow anything'))
  }
  if (workspaces.some(({ id }) => id === workspace_id)) return
  const why = 'must be a workspace of yours that the application may be used in'
  throw invalid(fault('workspace_id', 'invalid_value', why))
}

function shown({ baseUrl }: Means, pending: Pending): Interaction {
  const { application, scopes, workspaces, redirect_uri, params } = pending
  const again = new URLSearchParams({ ...params, prompt: 'login' })
  return {
    ...{ application, workspaces, redirect_uri },
    scopes: scopes.map((name) => ({ name, description: SCOPE_WORDS[name] })),
    again_url: `${baseUrl}/oauth/authorize?${again}`,
  }
}
