import { NOBODY, personally } from '#core/actor.ts'
import { door } from '#core/door.ts'
import { notFound } from '#core/refusal.ts'
import { preparePassword, setPassword } from '#identity/account.ts'
import { pendingDemo, takeDemo } from '#identity/demo.ts'
import { changeProfile } from '#identity/profile.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import { abandonWorkspace } from '#storage/abandoned.ts'
import * as contract from './contract.ts'
import { enter, welcome } from './enter.ts'

/** Makes the demo somebody's own: what was printed at the first start opens nothing any more. */
export const setUp = door(
  contract.setUp,
  async (means, visit) => {
    const { actor, body } = visit
    const { email, name, timezone, locale, password, workspace_name } = body
    const user_id = actor.user_id ?? ''
    const { hash } = await preparePassword(password)
    const begun = newId('wsp', means.storage.clock.now())
    const workspace_id = workspace_name === undefined ? actor.workspace_id : begun
    const entered = await means.storage.write(personally(user_id, workspace_id), async (tx) => {
      if (!(await takeDemo(tx))) throw notFound()
      await changeProfile(tx, user_id, { email, name, timezone, locale })
      await setPassword(tx, user_id, hash)
      if (workspace_name !== undefined) {
        const { plan } = means
        await createWorkspace(tx, { name: workspace_name, plan, timezone: timezone ?? 'UTC' })
        await join(tx, { user_id, name, role: 'owner' })
        await abandonWorkspace(tx, actor.workspace_id)
      }
      return enter(tx, means, visit, { id: user_id, workspace_id, by: 'session' })
    })
    return welcome(means, visit, entered)
  },
  {
    async before({ storage }, { actor }) {
      const demo = await storage.read(NOBODY, pendingDemo)
      const isOwner = demo?.user_id === actor.user_id && demo.workspace_id === actor.workspace_id
      if (!isOwner) throw notFound()
    },
  },
)
