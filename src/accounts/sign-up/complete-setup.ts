import { changeProfile, preparePassword, setPassword } from '#auth/users/accounts.ts'
import { sendConfirmationLink } from '#auth/users/email-confirmation.ts'
import { claimDemo, findUnclaimedDemo } from '#auth/workspaces/first-owner.ts'
import { createWorkspace, DEFAULT_PLAN } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { notFound } from '#core/api-error.ts'
import { sessionAction } from '#core/session-action.ts'
import { abandonWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { newId } from '#lib/id.ts'
import { createMembership } from '#resources/members/membership.ts'
import * as contract from '../contract.ts'
import { changeMemberProfile } from '../profile/change-member-profile.ts'
import { loadCookieSessions, startSession, toSignInReply } from '../sign-in/start-session.ts'

/** Claims the demo. The credentials that were printed at the first start become invalid. */
export const completeSetupAction = sessionAction(
  contract.completeSetup,
  async (deps, context) => {
    const { actor, body, address } = context
    const { email, name, timezone, locale, password, workspace_name } = body
    const user_id = actor.user_id
    const { hash } = await preparePassword(password, { account: email, address })
    const newWorkspaceId = newId('wsp', deps.storage.clock.now())
    const workspace_id = workspace_name === undefined ? actor.workspace_id : newWorkspaceId
    const person = { ...createUserActor(user_id, workspace_id), name }
    const outcome = await deps.storage.write(person, async (tx) => {
      if (!(await claimDemo(tx))) throw notFound()
      const profile = { email, name, timezone, locale }
      if (workspace_name === undefined) await changeMemberProfile(tx, user_id, profile)
      else await changeProfile(tx, user_id, profile)
      // The new password ends all sessions; the new one takes over how this one has signed in.
      const [previous] = await loadCookieSessions(tx, deps, context)
      await setPassword(tx, user_id, hash)
      await sendConfirmationLink(tx, user_id, email)
      if (workspace_name !== undefined) {
        await createWorkspace(tx, {
          name: workspace_name,
          plan: DEFAULT_PLAN,
          timezone: timezone ?? 'UTC',
        })
        await createMembership(tx, { user_id, name, role: 'owner' })
        await abandonWorkspace(tx, actor.workspace_id)
      }
      const subject = { id: user_id, workspace_id, by: 'session', previous } as const
      return startSession(tx, deps, context, subject)
    })
    return toSignInReply(deps, outcome)
  },
  {
    async authorize({ storage }, { actor }) {
      const demo = await storage.read(ANONYMOUS_ACTOR, findUnclaimedDemo)
      const isOwner = demo?.user_id === actor.user_id && demo.workspace_id === actor.workspace_id
      if (!isOwner) throw notFound()
    },
  },
)
