import { NOBODY, personally } from '#core/actor.ts'
import { door } from '#core/door.ts'
import { findStep, takeStep } from '#identity/steps.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import { stepCleared, stepIn } from './cookies.ts'
import { enter, type Kept, welcome } from './enter.ts'
import * as contract from './internal.ts'
import { signInOver } from './second-factor.ts'
import { signupDisabled } from './sign-up.ts'
import { personById } from './store.ts'

const KIND = 'no_workspace'

/** Goes on with the sign-in of somebody who has no workspace, in one that begins now. */
export const beginOwnWorkspace = door(
  contract.beginOwnWorkspace,
  async (means, visit) => {
    const { storage, baseUrl, plan } = means
    const value = stepIn(baseUrl, KIND, visit.cookie)
    const step = await storage.read(NOBODY, (tx) => findStep(tx, KIND, value))
    if (!step?.user_id) throw signInOver()
    const { user_id } = step
    const { by, twice }: Kept = JSON.parse(step.payload)
    const workspace_id = newId('wsp', storage.clock.now())
    const entered = await storage.write(personally(user_id, workspace_id), async (tx) => {
      const person =
        (await takeStep(tx, KIND, value)) && (await tx.one(personById, { id: user_id }))
      if (!person) throw signInOver()
      const { name, timezone } = visit.body
      await createWorkspace(tx, { name, plan, timezone })
      await join(tx, { user_id, name: person.name, role: 'owner' })
      return enter(tx, means, visit, { id: user_id, workspace_id, by, ...(twice && { twice }) })
    })
    const opened = await welcome(means, visit, entered)
    return { ...opened, cookies: [...opened.cookies, stepCleared(baseUrl, KIND)] }
  },
  {
    async before({ signup, company }) {
      if (signup !== 'open' || company?.only) throw signupDisabled()
    },
  },
)

/** Ends that sign-in: whoever comes to the browser next cannot go on with it. */
export const leaveSignIn = door(contract.leaveSignIn, async ({ storage, baseUrl }, { cookie }) => {
  const value = stepIn(baseUrl, KIND, cookie)
  if (value !== undefined) await storage.write(NOBODY, (tx) => takeStep(tx, KIND, value))
  return { reply: undefined, cookies: [stepCleared(baseUrl, KIND)] }
})
