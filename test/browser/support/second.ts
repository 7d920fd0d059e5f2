import { NOBODY } from '#core/actor.ts'
import { createWorkspace } from '#identity/workspace.ts'
import { newId } from '#lib/id.ts'
import { join } from '#resources/members/membership.ts'
import type { Docket } from './docket.ts'

/** Makes another workspace, "The other", of which a person who has an account is a member. */
export async function joinedTo({ storage }: Pick<Docket, 'storage'>, user_id: string) {
  const workspace = newId('wsp')
  await storage.write({ ...NOBODY, workspace_id: workspace }, async (tx) => {
    await createWorkspace(tx, { name: 'The other', plan: 'paid', timezone: 'UTC' })
    await join(tx, { user_id, name: 'The member', role: 'member' })
  })
  return { workspace }
}
